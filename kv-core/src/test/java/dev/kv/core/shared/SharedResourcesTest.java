package dev.kv.core.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.SharedResources;
import dev.kv.WriteOptions;
import dev.kv.bytes.DBComparator;
import dev.kv.core.Call;
import dev.kv.core.crash.Quiet;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.db.HookedEnv;
import dev.kv.core.db.LeakCheck;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.state.MemTables;
import dev.kv.core.version.Levels;
import dev.kv.env.Env;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.options.CompressionType;
import dev.kv.table.TableReader;
import dev.kv.table.TableWriter;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.FaultEnv.Fault;
import dev.kv.testing.FaultEnv.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several databases on the same {@link SharedResources}. */
@ExtendWith({LeakCheck.class, Quiet.class})
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedResourcesTest {
  @TempDir Path temp;

  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
  }

  private SharedResources share(SharedResources.Builder builder) {
    SharedResources shared = builder.build();
    opened.add(0, shared); // databases are closed first or last, which must not matter
    return shared;
  }

  private static Options with(SharedResources shared) {
    return Options.builder().createIfMissing(true).sharedResources(shared).build();
  }

  private DB open(String name, Options options) {
    DB db = DB.open(temp.resolve(name), options);
    opened.add(db);
    return db;
  }

  private static byte[] key(int i) {
    return DbTestBase.b(DbTestBase.key(i));
  }

  private static Set<String> threads() {
    Set<String> names = new TreeSet<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("kv-") && !thread.getName().equals("kv-unmap")) {
        names.add(thread.getName());
      }
    }
    return names;
  }

  private static void awaitUnused(SharedResources shared) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (shared.offHeapUsed() != 0 && System.nanoTime() < end) {
      LockSupport.parkNanos(1_000_000);
    }
    assertThat(shared.offHeapUsed()).as("bytes in use by %s", shared).isZero();
  }

  @Test
  void databases_manyThatFlushAndCompact_shareTheThreads() {
    SharedResources shared = share(SharedResources.builder().compactionThreads(2));
    List<DB> databases = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      databases.add(open("db" + i, with(shared)));
    }
    assertThat(shared.openDatabases()).isEqualTo(20);
    for (int round = 0; round < 5; round++) {
      for (DB db : databases) {
        db.put(key(round), new byte[1000]);
        db.admin().flush();
      }
    }
    for (DB db : databases) {
      db.admin().compactRange(null, null);
      assertThat(db.get(key(3))).hasSize(1000);
    }
    assertThat(threads())
        .contains("kv-flush", "kv-compact-1", "kv-maintenance")
        .isSubsetOf("kv-flush", "kv-compact-1", "kv-compact-2", "kv-maintenance");
  }

  @Test
  void close_ofTheSharedResourcesBeforeTheDatabases_leavesThemWorking() {
    SharedResources shared = share(SharedResources.builder());
    DB first = open("first", with(shared));
    DB second = open("second", with(shared));
    shared.close();
    shared.close();
    assertThatThrownBy(() -> open("third", with(shared)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    for (int i = 0; i < 100; i++) {
      first.put(key(i), new byte[1000]);
      second.put(key(i), new byte[2000]);
    }
    first.admin().flush();
    first.close();
    assertThat(shared.openDatabases()).isEqualTo(1);
    second.admin().flush();
    second.admin().compactRange(null, null);
    assertThat(second.get(key(50))).hasSize(2000);
    second.close();
    awaitUnused(shared);
    assertThat(threads()).isEmpty();
  }

  @Test
  void close_ofTheDatabasesBeforeTheSharedResources_keepsTheThreadsUntilThen() {
    SharedResources shared = share(SharedResources.builder());
    DB db = open("db", with(shared));
    db.put(key(1), new byte[10]);
    db.admin().flush();
    db.close();
    assertThat(threads()).contains("kv-flush");
    DB again = open("db", with(shared));
    assertThat(again.get(key(1))).hasSize(10);
    again.close();
    shared.close();
    awaitUnused(shared);
    assertThat(threads()).isEmpty();
  }

  @Test
  void open_thatFails_releasesItsShare() {
    SharedResources shared = share(SharedResources.builder());
    Options missing = Options.builder().sharedResources(shared).build();
    assertThatThrownBy(() -> open("missing", missing)).isInstanceOf(DBException.class);
    open("db", with(shared));
    Options other =
        with(shared).toBuilder()
            .comparator(DBComparator.of("other", (a, b) -> a.compareTo(b)))
            .build();
    assertThatThrownBy(() -> open("db", other)).isInstanceOf(DBException.class);
    assertThat(shared.openDatabases()).isEqualTo(1);
    assertThatThrownBy(() -> DB.openReadOnly(Path.of("missing"), other))
        .isInstanceOf(RuntimeException.class);
    assertThat(shared.openDatabases()).isEqualTo(1);
  }

  @Test
  void reads_ofSeveralDatabases_fillOneCache() {
    SharedResources shared = share(SharedResources.builder().blockCacheSize(1 << 20));
    Options options = with(shared).toBuilder().compression(CompressionType.NONE).build();
    List<DB> databases = new ArrayList<>();
    for (int d = 0; d < 4; d++) {
      DB db = open("db" + d, options);
      databases.add(db);
      for (int i = 0; i < 1000; i++) {
        byte[] value = new byte[1000];
        Arrays.fill(value, (byte) d);
        db.put(key(i), value);
      }
      db.admin().flush();
    }
    Random random = new Random(1);
    for (int i = 0; i < 5000; i++) {
      int d = random.nextInt(4);
      assertThat(databases.get(d).get(key(random.nextInt(1000)))).hasSize(1000).contains(d);
    }
    long charge = databases.get(0).admin().stats().memory().blockCache().charge();
    assertThat(charge).isEqualTo(databases.get(3).admin().stats().memory().blockCache().charge());
    assertThat(charge).isBetween(800L << 10, 1L << 20);
    shared.prune();
    assertThat(databases.get(0).admin().stats().memory().blockCache().charge()).isZero();
    assertThat(databases.get(2).get(key(7))).hasSize(1000);
  }

  @Test
  void offHeapLimit_ofAllDatabasesTogether_isHeld() {
    long limit = 8 << 20;
    SharedResources shared =
        share(SharedResources.builder().offHeapLimit(limit).blockCacheSize(1 << 20));
    List<DB> databases = new ArrayList<>();
    for (int d = 0; d < 3; d++) {
      databases.add(open("db" + d, with(shared)));
    }
    byte[] value = new byte[1000];
    for (int i = 0; i < 30_000; i++) {
      DB db = databases.get(i % 3);
      boolean written = false;
      while (!written) {
        try {
          db.put(key(i), value);
          written = true;
        } catch (OffHeapExhaustedException e) {
          db.admin().flush();
        }
      }
      assertThat(shared.offHeapUsed()).isLessThanOrEqualTo(limit);
    }
    for (int i = 0; i < 30_000; i += 101) {
      assertThat(databases.get(i % 3).get(key(i))).hasSize(1000);
    }
  }

  @Test
  void writeBufferLimit_idleDatabasesBesideABusyOne_areFlushedAndHoldNoMemory() {
    long limit = 1 << 20;
    SharedResources shared =
        share(SharedResources.builder().writeBufferLimit(limit).blockCacheSize(0));
    Options options = with(shared).toBuilder().writeBufferSize(256 << 10).build();
    List<DB> idle = new ArrayList<>();
    for (int d = 0; d < 30; d++) {
      DB db = open("idle" + d, options);
      idle.add(db);
      for (int i = 0; i < 50; i++) {
        db.put(key(i), new byte[1000]);
      }
    }
    // Each has taken 64 KiB, all together nearly twice the limit.
    DB busy = open("busy", options);
    for (int i = 0; i < 2_000; i++) {
      busy.put(key(i), new byte[1000]);
    }
    // Requests are done by other threads, and again when memory is acquired.
    DbTestBase.await(
        "the flush of idle databases",
        () -> {
          busy.put(key(1), new byte[50_000]);
          return mutableBytes(idle) <= limit;
        });
    assertThat(idle.stream().filter(SharedResourcesTest::hasTables).count()).isGreaterThan(10);
    for (DB db : idle) {
      for (int i = 0; i < 50; i++) {
        assertThat(db.get(key(i))).hasSize(1000);
      }
      db.put(key(7), new byte[2000]);
      assertThat(db.get(key(7))).hasSize(2000);
    }
  }

  private static long mutableBytes(List<DB> databases) {
    return databases.stream().mapToLong(db -> DbTestBase.parts(db).memTables().bytes()).sum();
  }

  private static boolean hasTables(DB db) {
    return db.admin().stats().levels().stream().anyMatch(level -> level.files() > 0);
  }

  @Test
  void offHeapLimit_lessThanTheMemtablesOfAllDatabases_failsNoWrite() {
    SharedResources shared =
        share(SharedResources.builder().offHeapLimit(8 << 20).blockCacheSize(1 << 20));
    // In memory: a put fails if nothing is flushed for a second, as on a disk that stalls
    Options options = with(shared).toBuilder().env(Env.inMemory()).writeBufferSize(1 << 20).build();
    List<DB> databases = new ArrayList<>();
    for (int d = 0; d < 20; d++) {
      databases.add(open("db" + d, options));
    }
    for (int i = 0; i < 1500; i++) {
      for (DB db : databases) {
        db.put(key(i), new byte[1000]);
      }
    }
    for (DB db : databases) {
      for (int i = 0; i < 1500; i += 7) {
        assertThat(db.get(key(i))).hasSize(1000);
      }
    }
  }

  /** The buffer of a write's group comes from the same memory as the memtables. */
  @Test
  void put_withoutMemoryForItsGroup_waitsForThatOfAnotherDatabase() {
    SharedResources shared =
        share(
            SharedResources.builder()
                .offHeapLimit(16 << 20)
                .blockCacheSize(0)
                .writeBufferLimit(16 << 20));
    Options options = with(shared).toBuilder().env(Env.inMemory()).writeBufferSize(4 << 20).build();
    DB large = open("large", options);
    DB small = open("small", options);
    large.put(key(1), new byte[3 << 20]);
    OffHeapBudget budget = DbTestBase.parts(small).context().budget();
    int valueLength = 3 << 19;
    long rest = MemTable.arenaBytesFor(valueLength, 1) + (7 << 18); // its flush needs some as well
    long taken = budget.limit() - budget.used() - rest;
    budget.reserve(MemoryKind.INDEX_AND_FILTER, taken);
    try {
      small.put(key(1), new byte[valueLength]);
    } finally {
      budget.release(MemoryKind.INDEX_AND_FILTER, taken);
    }
    assertThat(small.get(key(1))).hasSize(valueLength);
    assertThat(large.get(key(1))).hasSize(3 << 20);
  }

  @Test
  void flush_thatFailsInOneDatabase_stopsOnlyItsWrites() {
    SharedResources shared = share(SharedResources.builder());
    FaultEnv faulty = new FaultEnv(Env.fileSystem());
    DB failing = open("failing", with(shared).toBuilder().env(faulty).build());
    DB sound = open("sound", with(shared));
    failing.put(key(1), new byte[10]);
    faulty.fail(Fault.ERROR, Long.MAX_VALUE, each -> each.isOn(".ldb") && each.kind() == Kind.SYNC);
    assertThatThrownBy(failing.admin()::flush).isInstanceOf(DBReadOnlyException.class);
    for (int i = 0; i < 20; i++) {
      sound.put(key(i), new byte[100]);
      sound.admin().flush();
      assertThatThrownBy(() -> failing.put(key(2), new byte[10]))
          .isInstanceOf(DBReadOnlyException.class);
    }
    sound.admin().compactRange(null, null);
    faulty.heal();
    failing.admin().resume();
    failing.put(key(2), new byte[10]);
    failing.admin().flush();
    assertThat(failing.get(key(1))).hasSize(10);
  }

  /** Its flushes and compactions end for now, so nothing that it waits for comes. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void failure_ofADatabaseThatWantedAFlushAndCompactions_endsWhatItWants(boolean resumable) {
    SharedResources shared = share(SharedResources.builder());
    FaultEnv faulty = new FaultEnv(Env.fileSystem());
    DB failing = open("failing", with(shared).toBuilder().env(faulty).build());
    MemTables wanting = DbTestBase.parts(failing).memTables();
    MemTables sound = DbTestBase.parts(open("sound", with(shared))).memTables();
    WriteBuffers all = DbTestBase.parts(failing).context().shared().writeBuffers();
    failing.put(key(1), new byte[10]);
    wanting.stallInputs().setLevel0Tables(Levels.LEVEL_0_SLOWDOWN_TRIGGER);
    assertThat(all.isAnySlowedByLevel0()).isTrue();
    String failed = resumable ? ".ldb" : ".log";
    faulty.fail(Fault.ERROR, Long.MAX_VALUE, each -> each.isOn(failed) && each.kind() == Kind.SYNC);
    if (resumable) {
      assertThatThrownBy(failing.admin()::flush).isInstanceOf(DBReadOnlyException.class);
    } else {
      assertThatThrownBy(() -> failing.put(WriteOptions.SYNC, key(2), new byte[10]))
          .isInstanceOf(DBIOException.class);
    }
    wanting.requestFlush(); // no thread does it
    assertThat(wanting.isFlushPending()).isFalse();
    assertThat(wanting.bytes()).isZero();
    assertThat(all.isAnySlowedByLevel0()).isFalse();
    assertThat(all.relieve(sound)).as("memory comes soon").isFalse();
    faulty.heal();
    if (resumable) {
      failing.admin().resume();
      failing.put(key(2), new byte[10]);
      assertThat(wanting.bytes()).isPositive();
      assertThat(all.relieve(sound)).isTrue();
    }
  }

  private static boolean hasTable(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.anyMatch(file -> file.toString().endsWith(".ldb"));
    }
  }

  @Test
  void close_ofADatabaseWhoseFlushRuns_waitsForItAndDelaysNoOtherClose() throws Exception {
    SharedResources shared = share(SharedResources.builder());
    HookedEnv slow = new HookedEnv(Env.fileSystem());
    CountDownLatch syncs = new CountDownLatch(1);
    DB held = open("held", with(shared).toBuilder().env(slow).build());
    DB other = open("other", with(shared));
    other.put(key(1), new byte[10]);
    held.put(key(1), new byte[10]);
    slow.tableSyncGate = syncs;
    Call flushing = Call.start(held.admin()::flush);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!hasTable(temp.resolve("held"))) { // a flush that has not begun is not waited for
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(1_000_000);
    }
    other.close(); // its flush is not running, so that it has nothing to wait for
    Call close = Call.start(held::close);
    close.awaitParked();
    assertThat(shared.openDatabases()).isEqualTo(1);
    syncs.countDown();
    assertThat(close.outcome()).isNull();
    assertThat(flushing.outcome())
        .satisfiesAnyOf(
            e -> assertThat(e).isNull(), e -> assertThat(e).isInstanceOf(DBClosedException.class));
    assertThat(shared.openDatabases()).isZero();
  }

  @Test
  void openTable_withSharedResources_usesTheSharedCache() {
    SharedResources shared = share(SharedResources.builder());
    Path file = temp.resolve("table.ldb");
    try (TableWriter writer = TableWriter.create(file, Options.DEFAULT)) {
      writer.put(key(1), new byte[100]);
      writer.finish();
    }
    try (TableReader reader = TableReader.open(file, with(shared));
        DBIterator entries = reader.iterator(ReadOptions.DEFAULT)) {
      assertThat(shared.openDatabases()).isEqualTo(1);
      entries.seekToFirst();
      assertThat(entries.value()).hasSize(100);
    }
    assertThat(shared.openDatabases()).isZero();
  }

  /** A database with its file system, and what it acknowledged. */
  private static final class Store {
    final FaultEnv env = new FaultEnv(Env.inMemory());
    final Path directory;
    final Options options;
    final Map<Integer, byte[]> acknowledged = new TreeMap<>();

    /** What else may be found: values of failed writes since the last acknowledged one. */
    final Map<Integer, List<byte[]>> unknown = new HashMap<>();

    DB db;

    /** True from the first fault until the next open without. */
    boolean isFaulty;

    Store(Path directory, SharedResources shared) {
      this.directory = directory;
      options = with(shared).toBuilder().env(env).writeBufferSize(64 << 10).build();
      open();
    }

    void open() {
      db = DB.open(directory, options);
    }

    void fail(int operations) {
      isFaulty = true;
      env.failFrom(1 + env.operations() + operations, Fault.ERROR);
    }

    void reopenAndCheck() {
      env.heal();
      close();
      isFaulty = false;
      open();
      check();
    }

    void put(int i, byte[] value) {
      try {
        db.put(key(i), value);
        acknowledged.put(i, value);
        unknown.remove(i);
      } catch (DBException e) {
        if (!isFaulty) {
          throw e;
        }
        unknown.computeIfAbsent(i, none -> new ArrayList<>()).add(value);
      }
    }

    void close() {
      try {
        db.close();
      } catch (DBException e) {
        if (!isFaulty) {
          throw e;
        }
      }
    }

    void check() {
      acknowledged.forEach(
          (i, value) -> {
            byte[] found = db.get(key(i));
            List<byte[]> others = unknown.getOrDefault(i, List.of());
            if (others.stream().noneMatch(each -> Arrays.equals(found, each))) {
              assertThat(found).as("%s in %s", i, directory).isEqualTo(value);
            }
          });
    }
  }

  @Test
  void hundredDatabases_openedWrittenAndClosedAtRandomWithFaults_keepWhatTheyAcknowledged() {
    long seed = Long.getLong("kv.shared.seed", 20);
    Random random = new Random(seed);
    SharedResources shared =
        share(SharedResources.builder().compactionThreads(3).blockCacheSize(2 << 20));
    List<Store> stores = new ArrayList<>();
    try {
      for (int i = 0; i < 100; i++) {
        Store store = new Store(Path.of("/store" + i), shared);
        stores.add(store);
        opened.add(() -> store.close());
      }
      for (int step = 0; step < 8000; step++) {
        Store store = stores.get(random.nextInt(stores.size()));
        switch (random.nextInt(20)) {
          case 0 -> store.reopenAndCheck();
          case 1 -> {
            if (random.nextInt(4) == 0) {
              store.fail(random.nextInt(40));
            }
          }
          default -> store.put(random.nextInt(500), new byte[1 + random.nextInt(8000)]);
        }
      }
      assertThat(threads().size()).isLessThanOrEqualTo(5);
      for (Store store : stores) {
        store.reopenAndCheck();
      }
      Collections.shuffle(stores, random);
      for (Store store : stores) {
        store.db.close();
      }
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("-Dkv.shared.seed=" + seed, e);
    }
    assertThat(shared.openDatabases()).isZero();
    shared.close();
    awaitUnused(shared);
  }
}
