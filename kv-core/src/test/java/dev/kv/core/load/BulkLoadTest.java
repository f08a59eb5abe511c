package dev.kv.core.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.Snapshot;
import dev.kv.admin.DBStats;
import dev.kv.bytes.DBComparator;
import dev.kv.core.Bytes;
import dev.kv.core.Call;
import dev.kv.core.Latches;
import dev.kv.core.OpenFiles;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.db.HookedEnv;
import dev.kv.core.env.FileName;
import dev.kv.core.env.Uninterrupted;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.ValueKind;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.write.ExclusiveWriter;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.RandomAccessFile;
import dev.kv.env.SequentialFile;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.OutcomeUnknownException;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.load.BulkLoadOptions;
import dev.kv.load.BulkLoader;
import dev.kv.options.CompactionFilter;
import dev.kv.options.CompressionType;
import dev.kv.table.TableWriter;
import dev.kv.testing.FaultEnv;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bulk loads and ingests, as a program sees them, and where their tables go. */
class BulkLoadTest extends DbTestBase {
  /** An ingest opens a table for its properties, and for its first and its last key. */
  private static final int OPENS_OF_A_TABLE = 2;

  private static final BulkLoadOptions UNSORTED = BulkLoadOptions.builder().sorted(false).build();

  private static Options smallTables() {
    return defaults().toBuilder().maxFileSize(1 << 20).build();
  }

  /** Loads pairs of keys and values, such as {@code "a=1"}. */
  private void load(String... pairs) {
    load(BulkLoadOptions.DEFAULT, pairs);
  }

  private void load(BulkLoadOptions how, String... pairs) {
    try (BulkLoader loader = db.loads().bulkLoader(how)) {
      for (String pair : pairs) {
        int at = pair.indexOf('=');
        loader.put(b(pair.substring(0, at)), b(pair.substring(at + 1)));
      }
      loader.finish();
    }
  }

  /** Writes a table for an ingest. */
  private Path table(String name, String... pairs) {
    Path file = temp.resolve(name);
    try (TableWriter writer = TableWriter.forIngest(file, options)) {
      for (String pair : pairs) {
        int at = pair.indexOf('=');
        writer.put(b(pair.substring(0, at)), b(pair.substring(at + 1)));
      }
      writer.finish();
    }
    return file;
  }

  private long bytesWritten() {
    return db.admin().stats().levels().stream()
        .mapToLong(DBStats.Level::compactionBytesWritten)
        .sum();
  }

  private long bytesInTables() {
    return db.admin().stats().levels().stream().mapToLong(DBStats.Level::bytes).sum();
  }

  @Test
  void load_whoseCollectionOfFilesFails_isDone() {
    Thread program = Thread.currentThread();
    AtomicBoolean fails = new AtomicBoolean();
    Env env =
        new ForwardingEnv(Env.fileSystem()) {
          @Override
          public List<String> list(Path in) throws IOException {
            if (Thread.currentThread() == program && fails.getAndSet(false)) {
              throw new IllegalStateException("simulated");
            }
            return super.list(in);
          }
        };
    open(defaults().toBuilder().env(env).build());
    put("b", "2"); // the first write of an open collects, too
    fails.set(true);
    load("a=1");
    assertThat(fails).as("nothing was listed").isFalse();
    assertThat(contents()).isEqualTo("(a->1)(b->2)");
  }

  @Test
  void load_intoAnEmptyDatabase_isAtTheBottomWrittenOnce() {
    open(smallTables());
    Random random = new Random(301);
    List<String> values = new ArrayList<>();
    try (BulkLoader loader = db.loads().bulkLoader()) {
      for (int i = 0; i < 5000; i++) {
        values.add(randomValue(random, 1000));
        loader.put(b(key(i)), b(values.get(i)));
        assertThat(loader.entryCount()).isEqualTo(i + 1);
      }
      assertThat(contents()).isEmpty();
      loader.finish();
    }
    assertThat(filesPerLevel()).matches("0,0,0,0,0,0,[4-8]");
    assertThat(bytesWritten()).isEqualTo(bytesInTables());
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 5000; i++) {
        assertThat(get(key(i))).isEqualTo(values.get(i));
      }
      reopen();
    }
    put(key(7), "later");
    compact(null, null);
    assertThat(get(key(7))).isEqualTo("later");
    assertThat(get(key(8))).isEqualTo(values.get(8));
  }

  @Test
  void load_withoutEntriesOrNotFinished_changesNothing() {
    open();
    put("a", "1");
    load();
    load(UNSORTED);
    assertThat(contents()).isEqualTo("(a->1)");
    assertThat(parts().commits().lastSequence()).isEqualTo(1);
    List<String> before = files(FileName.Kind.TABLE);
    for (BulkLoadOptions how : List.of(BulkLoadOptions.DEFAULT, UNSORTED)) {
      try (BulkLoader loader = db.loads().bulkLoader(how)) {
        loader.put(b("b"), b("2"));
      }
    }
    assertThat(contents()).isEqualTo("(a->1)");
    assertThat(files(FileName.Kind.TABLE)).isEqualTo(before);
    assertThat(files(FileName.Kind.TEMP)).isEmpty();
  }

  @Test
  void put_keyThatDoesNotAscend_isRefusedAndTheLoadGoesOn() {
    open(smallTables());
    try (BulkLoader loader = db.loads().bulkLoader()) {
      loader.put(b("b"), b("1"));
      for (String wrong : List.of("a", "b", "")) {
        assertThatThrownBy(() -> loader.put(b(wrong), b("x")))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("'" + wrong + "' is not after the key before it, 'b'");
      }
      loader.put(b("c"), new byte[2 << 20]);
      // At the beginning of the next table, too.
      assertThatThrownBy(() -> loader.put(b("c"), b("x")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'c' is not after the key before it, 'c'");
      assertThatThrownBy(() -> loader.put(b("a".repeat(1 << 20)), b("x")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'" + "a".repeat(64) + "... (1048576 bytes)' is not after");
      loader.put(ByteBuffer.wrap(b("d")), ByteBuffer.wrap(b("4")));
      assertThat(loader.entryCount()).isEqualTo(3);
      loader.finish();
    }
    assertThat(get("b")).isEqualTo("1");
    assertThat(get("d")).isEqualTo("4");
    assertThat(get("a")).isEqualTo(NOT_FOUND);
  }

  @Test
  void loader_afterItsEnd_refusesEverything() {
    open();
    BulkLoader finished = db.loads().bulkLoader();
    finished.put(b("a"), b("1"));
    finished.finish();
    assertThatThrownBy(() -> finished.put(b("b"), b("1")))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(finished::finish).isInstanceOf(IllegalStateException.class);
    finished.close();
    BulkLoader closed = db.loads().bulkLoader(UNSORTED);
    closed.put(b("b"), b("1"));
    closed.close();
    closed.close();
    assertThatThrownBy(closed::finish).isInstanceOf(IllegalStateException.class);
    assertThat(contents()).isEqualTo("(a->1)");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void close_ofTheDatabase_endsItsLoaders(boolean sorted) {
    open();
    DB closed = db;
    BulkLoader loader = db.loads().bulkLoader(BulkLoadOptions.builder().sorted(sorted).build());
    loader.put(b("a"), b("1"));
    close();
    assertThatThrownBy(() -> loader.put(b("b"), b("1"))).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(loader::finish).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(() -> closed.loads().bulkLoader()).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(() -> closed.loads().ingest(List.of()))
        .isInstanceOf(DBClosedException.class);
    loader.close();
    open();
    assertThat(contents()).isEmpty();
    assertThat(files(FileName.Kind.TABLE)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void load_overOlderEntries_replacesThem(boolean sorted) {
    BulkLoadOptions how = BulkLoadOptions.builder().sorted(sorted).build();
    for (int place = 0; place < 5; place++) {
      destroyAndReopen(defaults());
      put("a", "old");
      put("b", "old");
      put("d", "old");
      delete("c");
      if (place == 1 || place == 4) {
        db.admin().flush();
      } else if (place == 2) {
        compact(null, null);
      } else if (place == 3) {
        load("b=older", "c=older");
      }
      if (place == 4) {
        db.admin().suspendCompactions();
      }
      load(how, "b=new", "c=new");
      String expected = "(a->old)(b->new)(c->new)(d->old)";
      assertThat(contents()).as("place %d", place).isEqualTo(expected);
      assertThat(get("b")).isEqualTo("new");
      if (place == 4) {
        db.admin().resumeCompactions();
      }
      reopen();
      assertThat(contents()).as("place %d, reopened", place).isEqualTo(expected);
      compact(null, null);
      assertThat(contents()).as("place %d, compacted", place).isEqualTo(expected);
      put("b", "newest");
      db.admin().flush();
      assertThat(get("b")).as("place %d", place).isEqualTo("newest");
    }
  }

  /** A deleted table that stays open keeps its space on disk. */
  @Test
  void close_withoutAFinish_closesTheTablesThatItDeletes() {
    open(smallTables());
    put("a", "1");
    db.admin().flush();
    assertThat(get("a")).isEqualTo("1");
    int open = db.admin().stats().memory().openTables();
    Random random = new Random(301);
    try (BulkLoader loader = db.loads().bulkLoader()) {
      for (int i = 0; i < 5000; i++) {
        loader.put(b(key(i)), b(randomValue(random, 1000)));
      }
      await("several tables", () -> files(FileName.Kind.TABLE).size() > 3);
    }
    assertThat(db.admin().stats().memory().openTables()).isEqualTo(open);
    assertThat(files(FileName.Kind.TABLE)).hasSize(1);
  }

  /** The sequence number of a load is older than writes that were made while it ran. */
  @ParameterizedTest
  @CsvSource({"true, 0", "true, 1", "true, 2", "false, 0", "false, 1", "false, 2"})
  void load_overEntriesWrittenWhileItRan_replacesThemToo(boolean sorted, int place) {
    open();
    put("b", "before");
    try (BulkLoader loader =
        db.loads().bulkLoader(BulkLoadOptions.builder().sorted(sorted).build())) {
      loader.put(b("a"), b("load"));
      loader.put(b("b"), b("load"));
      put("b", "meanwhile");
      delete("c");
      put("x", "meanwhile");
      if (place >= 1) {
        db.admin().flush();
      }
      if (place == 2) {
        compact(null, null);
      }
      loader.put(b("c"), b("load"));
      loader.put(b("d"), b("load"));
      loader.finish();
    }
    String expected = "(a->load)(b->load)(c->load)(d->load)(x->meanwhile)";
    assertThat(contents()).isEqualTo(expected);
    assertThat(get("b")).isEqualTo("load");
    reopen();
    assertThat(contents()).isEqualTo(expected);
    compact(null, null);
    assertThat(contents()).isEqualTo(expected);
    delete("b");
    assertThat(get("b")).isEqualTo(NOT_FOUND);
  }

  /** Returns the sequence number of the newest entry of a key. */
  private long sequenceOf(String key) {
    byte[] target = InternalKey.encode(b(key), InternalKey.MAX_SEQUENCE, ValueKind.VALUE);
    try (InternalIterator all = allEntries()) {
      all.seek(Bytes.direct(target), 0, target.length);
      assertThat(all.isValid()).isTrue();
      assertThat(InternalKey.userKey(all.copyKey())).isEqualTo(b(key));
      return InternalKey.sequence(InternalKey.tag(all.copyKey()));
    }
  }

  /** Only a table that overlaps newer entries is written again, with a newer number. */
  @Test
  void load_overEntriesInTables_isWrittenAgainOnlyIfTheyAreNewer() {
    open();
    put("a", "1");
    db.admin().flush();
    long before = parts().commits().lastSequence();
    load("a=2");
    assertThat(sequenceOf("a")).as("taken when the load began").isEqualTo(before + 1);
    try (BulkLoader loader = db.loads().bulkLoader()) {
      loader.put(b("a"), b("3"));
      put("a", "meanwhile");
      db.admin().flush();
      before = parts().commits().lastSequence();
      loader.finish();
    }
    assertThat(sequenceOf("a")).as("taken when the load ended").isEqualTo(before + 1);
    assertThat(get("a")).isEqualTo("3");
  }

  @Test
  void manifest_thatFailsDuringALoad_isAFailureOfTheLoad() {
    HookedEnv env = new HookedEnv(defaults().env());
    open(defaults().toBuilder().env(env).build());
    put("a", "1");
    env.manifestSyncFails = true;
    assertThatThrownBy(() -> load("b=2"))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageStartingWith("a bulk load failed")
        .hasCauseInstanceOf(DBIOException.class);
    env.manifestSyncFails = false;
    assertThat(contents()).isEqualTo("(a->1)");
  }

  @Test
  void load_besideWritesElsewhere_isWrittenOnce() {
    open();
    try (BulkLoader loader = db.loads().bulkLoader()) {
      loader.put(b("m1"), b("1"));
      put("a", "1");
      put("z", "1");
      loader.put(b("m2"), b("1"));
      loader.finish();
    }
    assertThat(filesPerLevel()).isEqualTo("0,0,0,0,0,0,1");
    assertThat(bytesWritten()).isEqualTo(bytesInTables());
    assertThat(contents()).isEqualTo("(a->1)(m1->1)(m2->1)(z->1)");
  }

  @Test
  void load_overAllOfItsRange_goesAboveWhatItOverlaps() {
    open();
    load("a=1", "z=1");
    assertThat(filesPerLevel()).isEqualTo("0,0,0,0,0,0,1");
    load("b=2", "y=2");
    assertThat(filesPerLevel()).isEqualTo("0,0,0,0,0,1,1");
    load("zz=3");
    assertThat(filesPerLevel()).isEqualTo("0,0,0,0,0,1,2");
    put("b", "4");
    db.admin().flush(); // a flush goes down to level 2
    assertThat(filesPerLevel()).isEqualTo("0,0,1,0,0,1,2");
    load("a=5", "c=5");
    assertThat(filesPerLevel()).isEqualTo("0,1,1,0,0,1,2");
    load("a=6", "c=6");
    load("a=7", "c=7");
    assertThat(filesPerLevel()).isEqualTo("2,1,1,0,0,1,2");
    assertThat(contents()).isEqualTo("(a->7)(b->4)(c->7)(y->2)(z->1)(zz->3)");
    assertThat(get("a")).isEqualTo("7");
    reopen();
    assertThat(get("a")).isEqualTo("7");
    compact(null, null);
    assertThat(contents()).isEqualTo("(a->7)(b->4)(c->7)(y->2)(z->1)(zz->3)");
  }

  /** C++ LevelDB, and an open after the MANIFEST was replaced, take the higher number as newer. */
  @Test
  void load_inLevelZero_hasTheHighestNumber() {
    open();
    put("b", "old");
    load("b=new", "c=new");
    assertThat(filesPerLevel()).isEqualTo("2");
    FileMetadata newest = null;
    for (FileMetadata file : parts().versions().current().files(0)) {
      newest = newest == null || file.number() > newest.number() ? file : newest;
    }
    assertThat(newest.largestUserKey()).isEqualTo(b("c"));
    assertThat(get("b")).isEqualTo("new");
  }

  /** Dozens of tables in level 0 would stop every writer. */
  @Test
  void load_ofManyTablesOverNewData_leavesLevelZeroSmall() {
    open(smallTables().toBuilder().compression(CompressionType.NONE).build());
    putOldInLevels0And1();
    loadOverManyTables();
    assertThat(filesAt(0)).isLessThanOrEqualTo(4);
    assertThat(totalFiles()).isGreaterThan(15);
    assertThat(db.get(b(key(500)))).hasSize(1000);
    compact(null, null);
    assertThat(db.get(b(key(500)))).hasSize(1000);
  }

  /** Its compaction of levels 0 and 1 only saves work for later. */
  @Test
  void load_ofManyTablesOverADamagedOne_isInstalled() throws IOException {
    open(smallTables().toBuilder().compression(CompressionType.NONE).build());
    putOldInLevels0And1();
    close();
    for (String name : files(FileName.Kind.TABLE)) {
      Path table = directory.resolve(name);
      byte[] bytes = Files.readAllBytes(table);
      bytes[100] ^= 1;
      Files.write(table, bytes);
    }
    open(options);
    loadOverManyTables();
    assertThat(db.get(b(key(500)))).hasSize(1000);
    assertThat(db.get(b(key(19_999)))).hasSize(1000);
  }

  @Test
  void load_ofManyTables_goesOnWhenCompactionsAreSuspended() throws Exception {
    CountDownLatch compacting = new CountDownLatch(1);
    CountDownLatch held = new CountDownLatch(1);
    CompactionFilter filter =
        (level, key, value) -> {
          compacting.countDown();
          Uninterrupted.await(held::await);
          return CompactionFilter.Decision.KEEP;
        };
    open(
        smallTables().toBuilder()
            .compression(CompressionType.NONE)
            .compaction(c -> c.filter(filter))
            .build());
    putOldInLevels0And1();
    Call load = Call.start(this::loadOverManyTables);
    assertThat(compacting.await(30, TimeUnit.SECONDS)).isTrue();
    Call suspension = Call.start(() -> db.admin().suspendCompactions());
    suspension.awaitParked();
    held.countDown();
    assertThat(suspension.outcome()).isNull();
    assertThat(load.outcome()).isNull();
    assertThat(db.get(b(key(19_999)))).hasSize(1000);
    db.admin().resumeCompactions();
  }

  private void putOldInLevels0And1() {
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 40; i++) {
        put(key(500 * i), "old" + round);
      }
      db.admin().flush();
    }
  }

  private void loadOverManyTables() {
    byte[] value = new byte[1000];
    try (BulkLoader loader = db.loads().bulkLoader()) {
      for (int i = 0; i < 20_000; i++) {
        loader.put(b(key(i)), value);
      }
      loader.finish();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void snapshotsAndIterators_fromBefore_doNotShowALoad(boolean ingest) {
    open();
    try (Snapshot empty = db.snapshot()) {
      put("b", "old");
      try (Snapshot before = db.snapshot();
          DBIterator cursor = db.iterator()) {
        if (ingest) {
          db.loads().ingest(List.of(table("t", "a=new", "b=new")));
          db.loads().ingest(List.of(table("u", "x=new")));
        } else {
          load("a=new", "b=new");
          load("x=new");
        }
        try (Snapshot after = db.snapshot()) {
          put("b", "newer");
          compact(null, null);
          assertThat(get("a", empty)).isEqualTo(NOT_FOUND);
          assertThat(get("b", empty)).isEqualTo(NOT_FOUND);
          assertThat(get("x", empty)).isEqualTo(NOT_FOUND);
          assertThat(get("a", before)).isEqualTo(NOT_FOUND);
          assertThat(get("b", before)).isEqualTo("old");
          assertThat(get("x", before)).isEqualTo(NOT_FOUND);
          assertThat(get("a", after)).isEqualTo("new");
          assertThat(get("b", after)).isEqualTo("new");
          assertThat(get("x", after)).isEqualTo("new");
          assertThat(get("b")).isEqualTo("newer");
          cursor.seekToFirst();
          assertThat(at(cursor)).isEqualTo("b->old");
          cursor.next();
          assertThat(cursor.isValid()).isFalse();
        }
      }
    }
  }

  @Test
  void load_afterARangeDeleteThatRanMeanwhile_isThere() {
    open();
    put("b", "1");
    db.admin().flush();
    try (BulkLoader loader = db.loads().bulkLoader()) {
      loader.put(b("a"), b("load"));
      loader.put(b("c"), b("load"));
      db.deleteRange(b("a"), b("z"));
      loader.finish();
    }
    assertThat(contents()).isEqualTo("(a->load)(c->load)");
    db.deleteRange(b("a"), b("b"));
    assertThat(contents()).isEqualTo("(c->load)");
    reopen();
    assertThat(contents()).isEqualTo("(c->load)");
  }

  @Test
  void unsortedLoad_withDuplicates_keepsTheLastAndReportsProgress() {
    open();
    List<Long> done = new ArrayList<>();
    BulkLoadOptions how =
        BulkLoadOptions.builder()
            .sorted(false)
            .sortMemory(1 << 20)
            .progress(
                (now, total) -> {
                  assertThat(total).isEqualTo(30_000);
                  done.add(now);
                })
            .build();
    Random random = new Random(7);
    String[] expected = new String[2000];
    try (BulkLoader loader = db.loads().bulkLoader(how)) {
      for (int i = 0; i < 30_000; i++) {
        int k = random.nextInt(expected.length);
        expected[k] = "v" + i + "x".repeat(random.nextInt(200));
        loader.put(b(key(k)), b(expected[k]));
      }
      assertThat(files(FileName.Kind.TEMP)).hasSizeGreaterThan(2);
      loader.finish();
    }
    assertThat(done).isSorted().doesNotHaveDuplicates().hasSizeGreaterThan(2).endsWith(30_000L);
    assertThat(files(FileName.Kind.TEMP)).isEmpty();
    for (int k = 0; k < expected.length; k++) {
      assertThat(get(key(k))).isEqualTo(expected[k]);
    }
  }

  /** The first install after an open deletes temporary files that a killed process has left. */
  @Test
  void firstWrite_besideAnUnsortedLoad_keepsItsTemporaryFiles() throws IOException {
    open();
    put("a", "1");
    db.admin().flush();
    close();
    Files.write(directory.resolve("900000.dbtmp"), new byte[1]);
    open();
    BulkLoadOptions how = BulkLoadOptions.builder().sorted(false).sortMemory(1 << 20).build();
    try (BulkLoader loader = db.loads().bulkLoader(how)) {
      for (int i = 3000; i > 0; i--) {
        loader.put(b(key(i)), new byte[1000]);
      }
      assertThat(files(FileName.Kind.TEMP)).hasSizeGreaterThan(2);
      put("b", "2");
      assertThat(files(FileName.Kind.TEMP)).doesNotContain("900000.dbtmp");
      loader.finish();
    }
    assertThat(db.get(b(key(1)))).hasSize(1000);
    assertThat(db.get(b(key(3000)))).hasSize(1000);
  }

  @Test
  void ingest_tablesWithoutOverlap_areCopiedAsTheyAre() throws IOException {
    open();
    put("m", "1");
    Path second = table("second", "x=2", "y=2");
    Path first = table("first", "a=1", "b=1");
    Path empty = table("empty");
    db.loads().ingest(List.of(second, first, empty));
    assertThat(contents()).isEqualTo("(a->1)(b->1)(m->1)(x->2)(y->2)");
    assertThat(filesPerLevel()).isEqualTo("1,0,0,0,0,0,2");
    FileMetadata copy = parts().versions().current().file(6, 0);
    assertThat(directory.resolve(String.format(Locale.ROOT, "%06d.ldb", copy.number())))
        .hasSameBinaryContentAs(first);
    Files.delete(first);
    reopen();
    assertThat(contents()).isEqualTo("(a->1)(b->1)(m->1)(x->2)(y->2)");
    put("a", "2");
    delete("b");
    db.admin().flush();
    assertThat(contents()).isEqualTo("(a->2)(m->1)(x->2)(y->2)");
    compact(null, null);
    assertThat(contents()).isEqualTo("(a->2)(m->1)(x->2)(y->2)");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ingest_ofManyTables_hasFewOfThemOpenAtOnce(boolean overlapping) {
    OpenFiles counting = new OpenFiles(Env.fileSystem(), path -> !path.startsWith(directory));
    open(defaults().toBuilder().env(counting).build());
    if (overlapping) {
      put(key(7), "old");
    }
    List<Path> tables = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      tables.add(table("t" + i, key(i) + "=new"));
    }
    db.loads().ingest(tables);
    assertThat(contents()).isEqualTo(contentsOf(20));
    assertThat(counting.most()).isEqualTo(1);
    assertThat(counting.open()).isZero();
  }

  private static String contentsOf(int entries) {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < entries; i++) {
      all.append('(').append(key(i)).append("->new)");
    }
    return all.toString();
  }

  /** A table is opened again to be written; then it must be the one that was checked. */
  @Test
  void ingest_tableThatIsReplacedMeanwhile_isRefusedAndChangesNothing() throws IOException {
    AtomicInteger opens = new AtomicInteger();
    Path file = temp.resolve("t");
    Path other = temp.resolve("other");
    Env replacing =
        new ForwardingEnv(Env.fileSystem()) {
          @Override
          public RandomAccessFile openRandomAccess(Path path, boolean mapped) throws IOException {
            boolean replaced = path.equals(file) && opens.incrementAndGet() > OPENS_OF_A_TABLE;
            return super.openRandomAccess(replaced ? other : path, mapped);
          }
        };
    open(defaults().toBuilder().env(replacing).build());
    put("b", "old");
    table("t", "b=new");
    table("other", "a=new");
    opens.set(0);
    assertThatThrownBy(() -> db.loads().ingest(List.of(file)))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("the table has other ends than before")
        .hasMessageContaining(file.toString());
    assertThat(contents()).isEqualTo("(b->old)");
  }

  /** Deleted keys count, too: their tombstones are newer than number 0. */
  @ParameterizedTest
  @CsvSource({"0, false", "1, false", "2, false", "0, true", "1, true", "2, true"})
  void ingest_overEntriesOrTombstones_replacesThem(int place, boolean tombstone) {
    open();
    put("a", "old");
    put("b", "old");
    put("c", "old");
    if (tombstone) {
      db.admin().flush();
      compact(null, null);
      delete("b");
    }
    if (place >= 1) {
      db.admin().flush();
    }
    if (place == 2) {
      compactLevel(0, null, null);
    }
    db.loads().ingest(List.of(table("t", "b=new")));
    assertThat(contents()).isEqualTo("(a->old)(b->new)(c->old)");
    assertThat(get("b")).isEqualTo("new");
    reopen();
    assertThat(contents()).isEqualTo("(a->old)(b->new)(c->old)");
    compact(null, null);
    assertThat(contents()).isEqualTo("(a->old)(b->new)(c->old)");
  }

  @Test
  void close_duringAnIngest_waitsForItsEnd() throws Exception {
    FaultEnv env = new FaultEnv(Env.inMemory());
    open(options.toBuilder().env(env).build());
    put("b", "old");
    db.admin().flush();
    Path table = directory.resolve("outside");
    try (TableWriter writer = TableWriter.forIngest(table, options.toBuilder().env(env).build())) {
      writer.put(b("a"), b("1"));
      writer.put(b("c"), b("3"));
      writer.finish();
    }
    CountDownLatch writes = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    env.watch(
        operation -> {
          if (operation.kind() == FaultEnv.Kind.CREATE && operation.isOn(".ldb")) {
            writes.countDown();
            Latches.await(go);
          }
        });
    Call ingest = Call.start(() -> db.loads().ingest(List.of(table)));
    writes.await();
    Thread closer = new Thread(() -> db.close());
    closer.start();
    await("the wait of the close", () -> !closer.isAlive() || waitsInClose(closer));
    closer.join(200);
    assertThat(closer.isAlive()).as("the close waits").isTrue();
    go.countDown();
    closer.join();
    assertThat(ingest.outcome()).isInstanceOf(DBClosedException.class);
    open(options);
    assertThat(contents()).isEqualTo("(b->old)");
  }

  /** The interrupt has ended the wait, and so the end of the ingest does not. */
  @Test
  void close_interruptedWhileTheLastIngestEnds_ends() throws Exception {
    open();
    Loads loads = (Loads) db.loads();
    loads.beginIngest();
    Call close = Call.start(db::close);
    await("the wait of the close", () -> close.thread().getState() == Thread.State.WAITING);
    synchronized (loads) {
      close.thread().interrupt();
      await("its interrupt", () -> close.thread().getState() == Thread.State.BLOCKED);
      loads.endIngest();
    }
    try {
      assertThat(close.outcome()).isNull();
    } finally {
      synchronized (loads) {
        loads.notifyAll(); // else the close after a failed test would wait for this one
      }
    }
  }

  private static boolean waitsInClose(Thread thread) {
    return switch (thread.getState()) {
      case WAITING, TIMED_WAITING, BLOCKED ->
          Arrays.stream(thread.getStackTrace())
              .anyMatch(frame -> frame.getMethodName().equals("close"));
      default -> false;
    };
  }

  /** An open refuses tables beside a MANIFEST that has no edit. */
  @Test
  void ingest_thatFailsBeforeTheFirstWrite_leavesADatabaseThatOpens() throws IOException {
    FaultEnv env = new FaultEnv(options.env());
    Path other = temp.resolve("no-log");
    Options with = options.toBuilder().env(env).build();
    env.fail(
        FaultEnv.Fault.ERROR,
        1,
        operation -> operation.kind() == FaultEnv.Kind.CREATE && operation.isOn(".log"));
    assertThatThrownBy(() -> DB.open(other, with)).isInstanceOf(DBIOException.class);
    env.heal();
    String[] blocks = new String[20]; // the first and the last are read before a copy
    Arrays.setAll(blocks, i -> String.format(Locale.ROOT, "x%02d=", i) + "v".repeat(5000));
    Path damaged = table("damaged", blocks);
    byte[] bytes = Files.readAllBytes(damaged);
    bytes[bytes.length / 2] ^= 1;
    Path good = table("good", "a=1", "b=1");
    try (DB found = DB.open(other, with)) {
      Files.write(damaged, bytes);
      assertThatThrownBy(() -> found.loads().ingest(List.of(good, damaged)))
          .isInstanceOf(CorruptionException.class);
    }
    try (DB found = DB.open(other, with)) {
      assertThat(found.get(b("a"))).isNull();
    }
  }

  /** All entries of copied tables have the sequence number 0. */
  @Test
  void checkpoint_ofIngestedTablesAlone_opensAfterARepairToo() {
    open();
    db.loads().ingest(List.of(table("t", "a=1", "b=2")));
    close();
    DB.repair(directory, options);
    Path copy = temp.resolve("copy");
    try (ReadOnlyDB reader = DB.openReadOnly(directory, options)) {
      reader.admin().checkpoint(copy);
    }
    try (DB found = DB.open(copy, options)) {
      assertThat(s(found.get(b("b")))).isEqualTo("2");
    }
  }

  /** A virtual thread that waits with a monitor keeps its carrier before JDK 24. */
  @Test
  void put_thatWaitsForAWriter_holdsNoMonitor() throws Exception {
    open();
    try (BulkLoader loader =
        db.loads().bulkLoader(BulkLoadOptions.builder().sorted(true).build())) {
      Call put;
      try (ExclusiveWriter writer = parts().jobs().commits().exclusive()) {
        put = Call.start(() -> loader.put(b("k"), b("v")));
        put.awaitParked();
        ThreadInfo waiting =
            ManagementFactory.getThreadMXBean()
                .getThreadInfo(new long[] {put.thread().getId()}, true, false)[0];
        assertThat(waiting.getLockedMonitors()).isEmpty();
        assertThat(writer.lastSequence()).isZero();
      }
      assertThat(put.outcome()).isNull();
    }
  }

  @Test
  void ingest_overlappingTables_isRefused() {
    open();
    Path first = table("first", "a=1", "m=1");
    Path second = table("second", "m=2", "z=2");
    assertThatThrownBy(() -> db.loads().ingest(List.of(second, first)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("first ends at 'm'")
        .hasMessageContaining("second begins at 'm'");
    Path longKey = table("long", "m".repeat(1 << 20) + "=1");
    Path same = table("same", "m".repeat(1 << 20) + "=2");
    assertThatThrownBy(() -> db.loads().ingest(List.of(longKey, same)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ends at '" + "m".repeat(64) + "... (1048576 bytes)'")
        .hasMessageContaining("begins at '" + "m".repeat(64) + "... (1048576 bytes)'");
    assertThat(contents()).isEmpty();
  }

  @Test
  void ingest_tableThatIsNotForIngest_isRefused() {
    open();
    Path users = temp.resolve("users");
    try (TableWriter writer = TableWriter.create(users, options)) {
      writer.put(b("abcdefghij"), b("1"));
      writer.finish();
    }
    assertThatThrownBy(() -> db.loads().ingest(List.of(users)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("users was not written by TableWriter.forIngest");
    put("a", "1");
    db.admin().flush();
    Path own = directory.resolve(files(FileName.Kind.TABLE).get(0));
    assertThatThrownBy(() -> db.loads().ingest(List.of(own)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("forIngest");
    assertThat(contents()).isEqualTo("(a->1)");
  }

  @Test
  void ingest_tableOfAnotherComparator_isRefused() {
    options =
        defaults().toBuilder()
            .comparator(DBComparator.of("test.Reverse", (a, b) -> b.compareTo(a)))
            .build();
    Path reversed = table("reversed", "b=1", "a=1");
    open(defaults());
    assertThatThrownBy(() -> db.loads().ingest(List.of(reversed)))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("test.Reverse")
        .hasMessageContaining("leveldb.BytewiseComparator");
  }

  /** The name of a comparator does not tell its order, so every key is compared. */
  @Test
  void ingest_tableInAnotherOrderOfTheSameComparatorName_isRefused() {
    options = ordered("acbd");
    Path table = table("other", "a=1", "c=1", "b=1", "d=1");
    open(ordered("abcd"));
    assertThatThrownBy(() -> db.loads().ingest(List.of(table)))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("that is not after the one before");
    assertThat(contents()).isEmpty();
  }

  private static Options ordered(String letters) {
    return defaults().toBuilder()
        .comparator(
            DBComparator.of(
                "test.Letters",
                (a, b) ->
                    Integer.compare(
                        letters.indexOf(a.toByteArray()[0]), letters.indexOf(b.toByteArray()[0]))))
        .build();
  }

  @Test
  void load_inAnotherOrder_works() {
    open(
        defaults().toBuilder()
            .comparator(DBComparator.of("test.Reverse", (a, b) -> b.compareTo(a)))
            .build());
    put("m", "1");
    load("z=1", "y=1");
    load(UNSORTED, "a=1", "c=1", "b=1");
    db.loads().ingest(List.of(table("t", "x=1", "n=1")));
    db.loads().ingest(List.of(table("u", "n=2", "m=2")));
    assertThat(contents()).isEqualTo("(z->1)(y->1)(x->1)(n->2)(m->2)(c->1)(b->1)(a->1)");
    assertThatThrownBy(() -> load("a=1", "b=1")).isInstanceOf(IllegalArgumentException.class);
  }

  /** Each byte is covered by a checksum, or by the comparison with the properties. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ingest_damagedTable_isRefusedAndChangesNothing(boolean overlapping) throws IOException {
    open(defaults().toBuilder().blockSize(1024).build());
    if (overlapping) {
      put(key(50), "old");
    }
    String before = contents();
    Path file = temp.resolve("table");
    try (TableWriter writer = TableWriter.forIngest(file, options)) {
      for (int i = 0; i < 100; i++) {
        writer.put(b(key(i)), b(randomValue(new Random(i), 60)));
      }
      writer.finish();
    }
    byte[] bytes = Files.readAllBytes(file);
    int refused = 0;
    for (int at = 0; at < bytes.length - 48; at += 97) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 0x10;
      Path other = Files.write(temp.resolve("damaged"), damaged);
      assertThatThrownBy(() -> db.loads().ingest(List.of(other)))
          .as("byte %d", at)
          .isInstanceOfAny(CorruptionException.class, IllegalArgumentException.class)
          .hasMessageContaining("damaged");
      refused++;
    }
    assertThat(refused).isGreaterThan(50);
    Files.write(temp.resolve("damaged"), new byte[10]);
    assertThatThrownBy(() -> db.loads().ingest(List.of(temp.resolve("damaged"))))
        .isInstanceOf(CorruptionException.class);
    assertThatThrownBy(() -> db.loads().ingest(List.of(file, temp.resolve("missing"))))
        .hasMessageContaining("missing");
    assertThat(contents()).isEqualTo(before);
    db.loads().ingest(List.of(file));
    assertThat(get(key(99))).isEqualTo(randomValue(new Random(99), 60));
  }

  @Test
  void ingest_tableThatChangesWhileItIsCopied_isRefusedAndChangesNothing() throws IOException {
    Path file = temp.resolve("table");
    byte[] other = new byte[1];
    Env replacing =
        new ForwardingEnv(Env.fileSystem()) {
          @Override
          public SequentialFile openSequential(Path path) throws IOException {
            if (path.equals(file)) {
              byte[] bytes = Files.readAllBytes(file);
              bytes[40] ^= other[0];
              return super.openSequential(Files.write(temp.resolve("replaced"), bytes));
            }
            return super.openSequential(path);
          }
        };
    open(defaults().toBuilder().env(replacing).build());
    try (TableWriter writer = TableWriter.forIngest(file, options)) {
      for (int i = 0; i < 100; i++) {
        writer.put(b(key(i)), b("new"));
      }
      writer.finish();
    }
    other[0] = 1;
    assertThatThrownBy(() -> db.loads().ingest(List.of(file)))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("the table was changed or damaged while it was copied")
        .hasMessageContaining(file.toString());
    assertThat(contents()).isEmpty();
    assertThat(files(FileName.Kind.TABLE)).isEmpty();
    other[0] = 0;
    db.loads().ingest(List.of(file));
    assertThat(get(key(99))).isEqualTo("new");
  }

  @Test
  void ingestTable_ofTheWriter_refusesWhatOtherWritersRefuse() {
    options = defaults();
    Path file = temp.resolve("t");
    try (TableWriter writer = TableWriter.forIngest(file, options)) {
      writer.put(b("b"), b("1"));
      assertThatThrownBy(() -> writer.put(b("a"), b("1")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'a' is not after the key before it, 'b'");
      assertThat(writer.entryCount()).isEqualTo(1);
    }
    assertThat(file).doesNotExist();
  }
}
