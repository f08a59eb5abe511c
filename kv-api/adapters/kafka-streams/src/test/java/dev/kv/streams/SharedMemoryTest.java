package dev.kv.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.SharedResources;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.streams.database.ProcessResources;
import dev.kv.streams.database.StoreKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the memory that the stores of a process share. */
class SharedMemoryTest {
  private static final long BUDGET = 16 << 20;
  private static final int STORES = 200;
  private static final int ENTRIES = 50;

  private static final int LARGE_ENTRIES = 4_000;
  private static final int CACHED_ENTRIES = 6_000;
  private static final long LARGE_BUDGET = 64 << 20;

  /** Three quarters of what the cache may take. */
  private static final long CACHED = LARGE_BUDGET / 4 / 4 * 3;

  /** Three quarters of what the memtables that are being written may take. */
  private static final long WRITTEN = LARGE_BUDGET / 2 / 4 * 3;

  private static final long PAUSE_NANOS = 10_000_000;

  @TempDir private Path directory;

  /** Puts when there is memory: flushes may be slower than what a put waits for. */
  private static void putPatiently(KvKeyValueStore store, String key, byte[] value) {
    while (true) {
      try {
        store.put(Bytes.wrap(key.getBytes()), value);
        return;
      } catch (ProcessorStateException e) {
        if (!(e.getCause() instanceof OffHeapExhaustedException)) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  @Test
  @Tag("slow")
  void twoHundredStores_stayInsideOneBudget() {
    Map<String, ?> configs = Map.of(KvStores.MEMORY_BYTES_CONFIG, BUDGET);
    List<KvKeyValueStore> stores = new ArrayList<>();
    SharedResources shared = ProcessResources.INSTANCE.acquire(configs);
    try {
      long most = 0;
      for (int i = 0; i < STORES; i++) {
        KvKeyValueStore store = new KvKeyValueStore("store" + i, StoreKind.Values.PLAIN, null);
        TestContext context = new TestContext(directory).with(KvStores.MEMORY_BYTES_CONFIG, BUDGET);
        store.init(context, store);
        stores.add(store);
      }
      Random random = new Random(16);
      byte[] value = new byte[1000];
      for (int entry = 0; entry < ENTRIES; entry++) {
        for (KvKeyValueStore store : stores) {
          random.nextBytes(value);
          putPatiently(store, "key" + entry, value);
        }
        most = Math.max(most, shared.offHeapUsed());
      }
      for (KvKeyValueStore store : stores) {
        assertThat(store.get(Bytes.wrap("key7".getBytes()))).hasSize(1000);
        most = Math.max(most, shared.offHeapUsed());
      }
      System.out.println(
          "SharedMemoryTest: " + STORES + " stores used at most " + most + " of " + BUDGET);
      assertThat(shared.openDatabases()).isEqualTo(STORES);
      assertThat(most).isGreaterThan(BUDGET / 8).isLessThanOrEqualTo(BUDGET);
    } finally {
      stores.forEach(KvKeyValueStore::close);
      ProcessResources.INSTANCE.release();
    }
  }

  @Test
  void storesOfOneProcess_whileTheyAreWritten_haveTheirShareAndKeepTheCache() {
    String limit = Long.toString(LARGE_BUDGET);
    SharedResources shared =
        ProcessResources.INSTANCE.acquire(Map.of(KvStores.MEMORY_BYTES_CONFIG, limit));
    List<KvKeyValueStore> stores = new ArrayList<>();
    Options options = Options.builder().createIfMissing(true).sharedResources(shared).build();
    try (DB cached = DB.open(directory.resolve("cached"), options)) {
      Random random = new Random(17);
      byte[] value = new byte[4000];
      for (int entry = 0; entry < CACHED_ENTRIES; entry++) {
        random.nextBytes(value);
        cached.put(("key" + entry).getBytes(), value);
      }
      cached.admin().compactRange(null, null);
      for (int entry = 0; entry < CACHED_ENTRIES; entry++) {
        cached.get(("key" + entry).getBytes());
      }
      assertThat(cached.admin().stats().memory().blockCache().charge()).isGreaterThan(CACHED);
      for (int i = 0; i < 4; i++) {
        KvKeyValueStore store = new KvKeyValueStore("store" + i, StoreKind.Values.PLAIN, null);
        TestContext context = new TestContext(directory).with(KvStores.MEMORY_BYTES_CONFIG, limit);
        store.init(context, store);
        stores.add(store);
      }
      assertThat(write(stores, random, cached)).isGreaterThan(WRITTEN);
      assertThat(cached.admin().stats().memory().blockCache().charge()).isGreaterThan(CACHED);
    } finally {
      stores.forEach(KvKeyValueStore::close);
      ProcessResources.INSTANCE.release();
    }
  }

  /** Writes to all stores, and returns the most that the memtables of the process took. */
  private static long write(List<KvKeyValueStore> stores, Random random, DB any) {
    byte[] value = new byte[4000];
    long most = 0;
    for (int entry = 0; entry < LARGE_ENTRIES; entry++) {
      for (KvKeyValueStore store : stores) {
        random.nextBytes(value);
        putPatiently(store, "key" + entry, value);
      }
      most = Math.max(most, any.admin().stats().memory().offHeap().memtables());
    }
    return most;
  }

  @Test
  void resources_afterTheLastStoreIsClosed_areCreatedAnew() {
    SharedResources first =
        ProcessResources.INSTANCE.acquire(Map.of(KvStores.MEMORY_BYTES_CONFIG, "33554432"));
    SharedResources second = ProcessResources.INSTANCE.acquire(Map.of());
    assertThat(second).isSameAs(first);
    assertThat(first.settings().offHeapLimit()).isEqualTo(32 << 20);
    ProcessResources.INSTANCE.release();
    ProcessResources.INSTANCE.release();

    SharedResources third = ProcessResources.INSTANCE.acquire(Map.of());
    assertThat(third).isNotSameAs(first);
    assertThat(third.settings().offHeapLimit()).isEqualTo(KvStores.DEFAULT_MEMORY_BYTES);
    ProcessResources.INSTANCE.release();
  }
}
