package dev.kv.core.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DBIterator;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.WriteOptions;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.db.HookedEnv;
import dev.kv.core.env.FileName;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.errors.DBException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.errors.OutcomeUnknownException;
import dev.kv.options.CompressionType;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.FaultEnv.Fault;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens when the file system fails, and what it costs when it does not. */
@Tag("one-jdk")
class FaultTest extends DbTestBase {
  private final HookedEnv env = new HookedEnv(Env.fileSystem());

  private Options.Builder hooked() {
    return Options.builder().createIfMissing(true).env(env);
  }

  @Test
  void get_whileTheFlushIsStuckInItsSync_readsTheImmutableMemtable() {
    open(hooked().writeBufferSize(100_000).build());
    put("foo", "v1");
    CountDownLatch errors = new CountDownLatch(1);
    env.tableSyncGate = errors;
    put("k1", "x".repeat(90_000));
    put("k2", "y".repeat(30_000));
    assertThat(get("foo")).isEqualTo("v1");
    assertThat(get("k1")).isEqualTo("x".repeat(90_000));
    assertThat(contents()).startsWith("(foo->v1)(k1->xxx");
    env.tableSyncGate = null;
    errors.countDown();
    db.admin().flush();
    assertThat(get("foo")).isEqualTo("v1");
  }

  @ParameterizedTest
  @CsvSource({
    "65536, 0, 2",
    "65536, 2900000, 2",
    "65536, 2800000, 1",
    "8388608, 0, 2",
    "8388609, 0, 1"
  })
  void put_whileTheFlushIsStuckInItsSync_stopsWhenNoMoreMemtablesMayWait(
      int writeBufferSize, long offHeapLimit, int mayWait) throws InterruptedException {
    open(
        hooked()
            .writeBufferSize(writeBufferSize)
            .blockCacheSize(1 << 20)
            .memory(m -> m.offHeapLimit(offHeapLimit))
            .build());
    CountDownLatch errors = new CountDownLatch(1);
    env.tableSyncGate = errors;
    byte[] value = new byte[writeBufferSize / 10 * 9];
    AtomicInteger written = new AtomicInteger();
    Thread writer =
        new Thread(
            () -> {
              for (int i = 0; i < mayWait + 2; i++) {
                db.put(b(key(i)), value);
                written.incrementAndGet();
              }
            });
    writer.start();
    await("the stop", () -> db.admin().stats().writes().stalls().stops() == 1);
    assertThat(written).hasValue(mayWait + 1);
    env.tableSyncGate = null;
    errors.countDown();
    writer.join();
    for (int i = 0; i < mayWait + 2; i++) {
      assertThat(db.get(b(key(i)))).isEqualTo(value);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void put_fullDisk_isReportedAndLosesNothingAcknowledged(boolean mapped) {
    env.noMappedLogs = !mapped;
    open(hooked().writeBufferSize(64 << 10).build());
    put("foo", "v1");
    compact("a", "z");
    env.noSpace = true;
    int acknowledged = 0;
    DBException failure = null;
    while (failure == null) {
      try {
        put(key(acknowledged), "v".repeat(1000));
        acknowledged++;
        assertThat(acknowledged).isLessThan(10_000);
      } catch (DBException e) {
        failure = e;
      }
    }
    assertThat(failure).isInstanceOfAny(DBIOException.class, DBReadOnlyException.class);
    assertThat(get("foo")).isEqualTo("v1");
    int files = files(FileName.Kind.TABLE).size();
    env.noSpace = false;
    assertThat(files).isLessThan(6);
    reopen();
    assertThat(get("foo")).isEqualTo("v1");
    for (int i = 0; i < acknowledged; i++) {
      assertThat(get(key(i))).isEqualTo("v".repeat(1000));
    }
    put("foo", "v2");
    assertThat(get("foo")).isEqualTo("v2");
  }

  /** Within a reopen, writes, a flush, a checkpoint, reads and a close, one operation fails. */
  @ParameterizedTest
  @EnumSource
  void anyKindOfOperation_failingOnce_costsWhatItHitAndAReopenFindsTheRest(FaultEnv.Kind kind) {
    FaultEnv faulty = new FaultEnv(Env.inMemory());
    open(defaults().toBuilder().env(faulty).writeBufferSize(64 << 10).blockCacheSize(0).build());
    Map<String, String> acknowledged = new TreeMap<>();
    int hits = 0;
    for (int skipped : new int[] {0, 3, 20}) {
      write(100, acknowledged);
      AtomicInteger seen = new AtomicInteger();
      faulty.fail(Fault.ERROR, 1, op -> op.kind() == kind && seen.getAndIncrement() == skipped);
      if (survives(this::reopen)) {
        write(100, acknowledged);
        survives(db.admin()::flush);
        survives(() -> db.admin().checkpoint(directory.resolveSibling("checkpoint" + skipped)));
        for (String key : acknowledged.keySet()) {
          String[] value = {null};
          if (!survives(() -> value[0] = get(key))) {
            value[0] = get(key);
          }
          assertThat(value[0]).isEqualTo(acknowledged.get(key));
        }
        survives(this::close);
      }
      hits += faulty.injected();
      faulty.heal();
      close();
      open();
      for (Map.Entry<String, String> entry : acknowledged.entrySet()) {
        assertThat(get(entry.getKey())).isEqualTo(entry.getValue());
      }
    }
    assertThat(hits).as("faults of this kind").isPositive();
  }

  private void write(int count, Map<String, String> acknowledged) {
    for (int i = 0; i < count; i++) {
      String key = key(acknowledged.size());
      String value = key.repeat(60);
      if (survives(
          () -> db.put(WriteOptions.builder().sync(key.endsWith("7")).build(), b(key), b(value)))) {
        acknowledged.put(key, value);
      }
    }
  }

  private static boolean survives(Runnable action) {
    try {
      action.run();
      return true;
    } catch (DBException e) {
      assertThat(e).hasStackTraceContaining("injected fault");
      return false;
    }
  }

  @Test
  void put_nonWritableFileSystem_failsAndRecovers() {
    open(hooked().writeBufferSize(64 << 10).build());
    put("foo", "v1");
    env.nonWritable = true;
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 1000; i++) {
                put(key(i), "v".repeat(1000));
              }
            })
        .isInstanceOf(DBException.class);
    assertThat(get("foo")).isEqualTo("v1");
    env.nonWritable = false;
    reopen();
    assertThat(get("foo")).isEqualTo("v1");
  }

  @Test
  void commit_failedSyncOfTheLog_isOfUnknownOutcome() {
    open(hooked().build());
    put("k1", "v1");
    TransactionOptions synced =
        TransactionOptions.builder().writeOptions(WriteOptions.SYNC).build();
    try (Transaction transaction = db.transaction(synced)) {
      transaction.put(b("k2"), b("v2"));
      env.logSyncFails = true;
      assertThatThrownBy(transaction::commit)
          .isInstanceOf(OutcomeUnknownException.class)
          .hasCauseInstanceOf(IOException.class);
    }
    env.logSyncFails = false;
  }

  @Test
  void put_failedSyncOfTheLog_refusesEveryLaterWrite() {
    open(hooked().build());
    put("k1", "v1");
    env.logSyncFails = true;
    assertThatThrownBy(() -> db.put(WriteOptions.SYNC, b("k2"), b("v2")))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("unknown");
    env.logSyncFails = false;
    assertThat(get("k1")).isEqualTo("v1");
    assertThat(get("k2")).isEqualTo(NOT_FOUND);
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> put("k3", "v3"))
          .isInstanceOf(DBReadOnlyException.class)
          .hasStackTraceContaining("simulated failure of a sync of the log");
    }
    assertThatThrownBy(() -> db.admin().flush()).isInstanceOf(DBReadOnlyException.class);
    assertThatThrownBy(() -> db.admin().compactRange(null, null))
        .isInstanceOf(DBReadOnlyException.class);
    reopen();
    assertThat(get("k1")).isEqualTo("v1");
    assertThat(get("k3")).isEqualTo(NOT_FOUND);
    put("k3", "v3");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void flush_failedManifest_keepsTheDataAndIsSticky(boolean inSync) {
    open(hooked().build());
    for (int i = 0; i < 10; i++) {
      failManifest(inSync, "bar" + i);
    }
  }

  /**
   * The edit may be durable though its sync failed: the table that it names must outlive the
   * failure.
   */
  private void failManifest(boolean inSync, String value) {
    put("foo", value);
    assertThat(get("foo")).isEqualTo(value);
    if (inSync) {
      env.manifestSyncFails = true;
    } else {
      env.manifestAppendFails = true;
    }
    assertThatThrownBy(() -> db.admin().flush())
        .isInstanceOf(DBReadOnlyException.class)
        .hasStackTraceContaining("simulated");
    assertThat(get("foo")).isEqualTo(value);
    env.manifestSyncFails = false;
    env.manifestAppendFails = false;
    assertThatThrownBy(() -> put("a", "b")).isInstanceOf(DBReadOnlyException.class);
    reopen();
    assertThat(get("foo")).isEqualTo(value);
    put("a", "b");
    db.admin().flush();
  }

  @Test
  void close_logThatCannotBeClosed_isReportedAfterAllIsFreed() {
    open(hooked().build());
    put("foo", "v");
    env.logCloseFails = true;
    assertThatThrownBy(() -> db.close())
        .isInstanceOf(DBIOException.class)
        .hasMessageContaining("failure of a close");
    env.logCloseFails = false;
    db.close();
    open();
    assertThat(get("foo")).isEqualTo("v");
  }

  @Test
  void put_threadThatCannotBeStarted_failsAndLosesNothing() {
    for (int first = 0; first < 3; first++) {
      AtomicInteger left = new AtomicInteger(first);
      Env few =
          new ForwardingEnv(env) {
            @Override
            public Thread startThread(String name, Runnable task) {
              if (left.getAndDecrement() <= 0) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              return super.startThread(name, task);
            }
          };
      open(hooked().env(few).writeBufferSize(64 << 10).build());
      int round = first;
      AtomicInteger acknowledged = new AtomicInteger();
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 100_000; i++) {
                  put("key" + i, "value" + round);
                  acknowledged.incrementAndGet();
                }
              })
          .isInstanceOf(DBReadOnlyException.class)
          .hasRootCauseInstanceOf(OutOfMemoryError.class);
      assertThat(left.get()).isNegative();
      close();
      open();
      for (int i = 0; i < acknowledged.get(); i++) {
        assertThat(get("key" + i)).isEqualTo("value" + round);
      }
      close();
    }
  }

  @Test
  void open_failsAtAnyPoint_leavesNoLockBehind() {
    open(hooked().build());
    put("foo", "v");
    close();
    env.manifestSyncFails = true;
    assertThatThrownBy(this::open).isInstanceOf(DBIOException.class);
    env.manifestSyncFails = false;
    env.nonWritable = true;
    assertThatThrownBy(this::open).isInstanceOf(DBIOException.class);
    env.nonWritable = false;
    open();
    assertThat(get("foo")).isEqualTo("v");
  }

  @Test
  void get_withBloomFilter_readsOneBlockAHitAndNoneAMiss() {
    open(hooked().blockCacheSize(0).filterPolicy(FilterPolicy.bloom(10)).build());
    int count = 10_000;
    for (int i = 0; i < count; i++) {
      put(key(i), key(i));
    }
    compact("a", "z");
    for (int i = 0; i < count; i += 100) {
      put(key(i), key(i));
    }
    db.admin().flush();
    db.admin().suspendCompactions(); // seeks that find nothing cause one, and it reads
    env.reads.set(0);
    for (int i = 0; i < count; i++) {
      assertThat(get(key(i))).isEqualTo(key(i));
    }
    assertThat(env.reads.get()).isBetween((long) count, (long) (count * 1.02));
    env.reads.set(0);
    for (int i = 0; i < count; i++) {
      assertThat(get(key(i) + ".missing")).isEqualTo(NOT_FOUND);
    }
    assertThat(env.reads.get()).isLessThanOrEqualTo(3 * count / 100);
  }

  @Test
  void get_fillCacheFalse_readsAgainEachTime() {
    open(hooked().build());
    put("foo", "v".repeat(1000));
    db.admin().flush();
    ReadOptions bypass = ReadOptions.builder().fillCache(false).build();
    db.get(bypass, b("foo"));
    long before = env.reads.get();
    db.get(bypass, b("foo"));
    assertThat(env.reads.get()).isEqualTo(before + 1);
    get("foo");
    before = env.reads.get();
    get("foo");
    assertThat(env.reads.get()).isEqualTo(before);
  }

  /**
   * The cache makes room for whatever else is wanted, and what is read then is cached all the same.
   */
  @Test
  void get_offHeapLimitSpentByTheCache_emptiesItAndCachesOn() {
    open(
        hooked()
            .writeBufferSize(1 << 20)
            .blockCacheSize(8 << 20)
            .memory(m -> m.offHeapLimit(6 << 20))
            .compression(CompressionType.NONE)
            .build());
    for (int i = 0; i < 8000; i++) {
      put(key(i), "v".repeat(1000));
    }
    compact(null, null);
    long misses = db.admin().stats().memory().blockCache().misses();
    for (int i = 0; i < 8000; i += 3) {
      assertThat(get(key(i))).hasSize(1000);
      long before = env.reads.get();
      assertThat(get(key(i))).hasSize(1000);
      assertThat(env.reads.get()).as("reads of key %d, read before", i).isEqualTo(before);
    }
    assertThat(db.admin().stats().memory().blockCache().misses() - misses).isGreaterThan(1500);
    assertThat(db.admin().stats().memory().offHeap().total()).isLessThanOrEqualTo(6 << 20);
  }

  @Test
  void put_offHeapLimitSpent_failsBeforeTheLogAndLosesNothing() {
    open(
        hooked()
            .writeBufferSize(1 << 20)
            .blockCacheSize(1 << 20)
            .memory(m -> m.offHeapLimit(4 << 20))
            .build());
    put("foo", "v1");
    var batch = batch().put(b("big"), new byte[5 << 20]);
    assertThatThrownBy(() -> db.write(batch)).isInstanceOf(OffHeapExhaustedException.class);
    assertThat(get("big")).isEqualTo(NOT_FOUND);
    for (int i = 0; i < 5000; i++) {
      byte[] key = b(key(i));
      patiently(() -> db.put(key, b("v".repeat(1000)))); // a slow disk delays the flushes
    }
    try (DBIterator cursor = db.iterator()) {
      int found = 0;
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        found++;
      }
      assertThat(found).isEqualTo(5001);
    }
    assertThat(db.admin().stats().memory().offHeap().total()).isLessThanOrEqualTo(4 << 20);
    reopen();
    assertThat(get("foo")).isEqualTo("v1");
    assertThat(get("big")).isEqualTo(NOT_FOUND);
  }
}
