package dev.kv.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.Snapshot;
import dev.kv.WriteOptions;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.db.HookedEnv;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.manifest.NewDatabase;
import dev.kv.core.state.DatabaseContext;
import dev.kv.env.Env;
import dev.kv.errors.DBException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.options.RecoveryMode;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.FaultEnv.Fault;
import dev.kv.testing.FaultEnv.Kind;
import dev.kv.testing.StrictMemEnv;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An open that finds nothing to recover changes nothing on disk; the first write begins the log and
 * the MANIFEST.
 */
class FirstWriteTest extends DbTestBase {
  private static final Set<Kind> CHANGES =
      EnumSet.complementOf(EnumSet.of(Kind.OPEN, Kind.READ, Kind.LIST, Kind.CLOSE, Kind.LOCK));

  private final FaultEnv env = new FaultEnv(Env.fileSystem());

  /** Every operation that changes files, since {@link #watch}. */
  private final ConcurrentLinkedQueue<FaultEnv.Operation> changes = new ConcurrentLinkedQueue<>();

  private Options.Builder watched() {
    return Options.builder().createIfMissing(true).env(env);
  }

  private void watch() {
    changes.clear();
    env.watch(
        operation -> {
          if (CHANGES.contains(operation.kind())) {
            changes.add(operation);
          }
        });
  }

  private long count(Kind kind, String name) {
    return changes.stream()
        .filter(each -> each.kind() == kind && each.path().toString().contains(name))
        .count();
  }

  /** Leaves a closed database with two keys in a table and an empty log. */
  private void makeDatabase(Options with) {
    open(with);
    put("a", "1");
    put("b", "2");
    db.admin().flush();
    close();
  }

  private List<String> bytesOfEveryFile() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      List<String> all = new ArrayList<>();
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        if (!file.endsWith("LOCK")) {
          String content = HexFormat.of().formatHex(Files.readAllBytes(file));
          all.add(file.getFileName() + " " + Files.getLastModifiedTime(file) + " " + content);
        }
      }
      return all;
    }
  }

  private String current() throws IOException {
    return Files.readString(FileNames.current(directory)).strip();
  }

  /** What an open may find where there is nothing to recover. */
  enum Found {
    EMPTY_LOG {
      @Override
      void make(FirstWriteTest test) {
        test.makeDatabase(test.watched().build());
      }
    },
    LOG_OF_ZEROS {
      @Override
      void make(FirstWriteTest test) throws IOException {
        test.makeDatabase(test.watched().build());
        Files.write(test.logFile(), new byte[64 << 10]);
      }
    },
    REPAIRED {
      @Override
      void make(FirstWriteTest test) {
        test.makeDatabase(test.watched().build());
        DB.repair(test.directory, test.options);
      }
    },
    MANIFEST_ALONE {
      @Override
      void make(FirstWriteTest test) throws IOException {
        test.options = test.watched().build();
        Files.createDirectories(test.directory);
        try (DatabaseContext context = new DatabaseContext(test.directory, test.options)) {
          NewDatabase.create(context.manifestContext());
        }
      }
    },
    NO_ENTRY {
      @Override
      void make(FirstWriteTest test) {
        test.open(test.watched().build());
        test.close();
      }
    },
    WITH_ORPHANS {
      @Override
      void make(FirstWriteTest test) throws IOException {
        test.makeDatabase(test.watched().build());
        for (String name : List.of("000099.ldb", "000098.dbtmp", "000001.log", "MANIFEST-000001")) {
          Files.writeString(test.directory.resolve(name), "an orphan");
        }
      }
    };

    abstract void make(FirstWriteTest test) throws IOException;
  }

  private Path logFile() {
    return directory.resolve(files(FileName.Kind.LOG).get(0));
  }

  @ParameterizedTest
  @EnumSource
  void open_nothingToRecover_changesNothing(Found found) throws IOException {
    found.make(this);
    List<String> before = bytesOfEveryFile();
    watch();
    for (int round = 0; round < 3; round++) {
      open();
      boolean empty = found == Found.NO_ENTRY || found == Found.MANIFEST_ALONE;
      String expected = empty ? NOT_FOUND : "1";
      assertThat(get("a")).isEqualTo(expected);
      assertThat(contents()).isEqualTo(empty ? "" : "(a->1)(b->2)");
      try (Snapshot snapshot = db.snapshot()) {
        assertThat(get("a", snapshot)).isEqualTo(expected);
      }
      assertThat(db.admin().property("leveldb.stats")).isNotNull();
      assertThat(db.admin().property("leveldb.approximate-memory-usage")).isNotNull();
      assertThat(db.admin().stats().recovery().droppedBytes()).isZero();
      assertThat(size("a", "z")).isGreaterThanOrEqualTo(0);
      db.admin().suspendCompactions();
      db.admin().resumeCompactions();
      db.write(batch());
      close();
    }
    assertThat(changes).isEmpty();
    assertThat(bytesOfEveryFile()).isEqualTo(before);
  }

  /** Ways to write first. */
  enum Write {
    PUT((db, value) -> db.put(b("c"), b(value))),
    PUT_SYNC((db, value) -> db.put(WriteOptions.SYNC, b("c"), b(value))),
    PUT_BUFFERS((db, value) -> db.put(WriteOptions.DEFAULT, buffer("c"), buffer(value))),
    BATCH((db, value) -> db.write(batch().put(b("c"), b(value)))),
    DELETE((db, value) -> db.delete(b("c"))),
    DELETE_BUFFER((db, value) -> db.delete(WriteOptions.SYNC, buffer("c"))),
    EMPTY_BATCH_SYNC((db, value) -> db.write(WriteOptions.SYNC, batch())),
    FLUSH((db, value) -> db.admin().flush());

    private final BiConsumer<DB, String> write;

    Write(BiConsumer<DB, String> write) {
      this.write = write;
    }

    private static ByteBuffer buffer(String text) {
      return ByteBuffer.wrap(b(text));
    }
  }

  @ParameterizedTest
  @EnumSource
  void firstWrite_ofAnyKind_beginsLogAndManifestOnce(Write kind) throws IOException {
    Found.WITH_ORPHANS.make(this);
    String manifest = current();
    Path oldLog = logFile();
    open();
    long sequence = db.admin().stats().writes().lastSequence();
    assertThat(sequence).isEqualTo(2);
    watch();
    kind.write.accept(db, "3");
    assertThat(count(Kind.CREATE, ".log")).isEqualTo(1);
    assertThat(count(Kind.CREATE, "MANIFEST")).isEqualTo(1);
    assertThat(current()).isNotEqualTo(manifest);
    assertThat(files(FileName.Kind.MANIFEST)).containsExactly(current());
    assertThat(files(FileName.Kind.LOG)).hasSize(1).doesNotContain(oldLog.getFileName().toString());
    assertThat(files(FileName.Kind.TABLE)).hasSize(1).doesNotContain("000099.ldb");
    assertThat(files(FileName.Kind.TEMP)).isEmpty();
    // The name of the log is durable before the MANIFEST that names it is begun.
    List<Kind> order = changes.stream().map(FaultEnv.Operation::kind).toList();
    assertThat(order.indexOf(Kind.SYNC_DIRECTORY)).isLessThan(order.indexOf(Kind.SYNC));
    put("d", "4");
    kind.write.accept(db, "5");
    assertThat(count(Kind.CREATE, "MANIFEST")).isEqualTo(1);
    reopen();
    boolean puts = kind.name().startsWith("PUT") || kind == Write.BATCH;
    assertThat(contents()).isEqualTo("(a->1)(b->2)" + (puts ? "(c->5)" : "") + "(d->4)");
    assertThat(db.admin().stats().recovery().droppedBytes()).isZero();
  }

  /** C++ LevelDB's order of numbers: the MANIFEST takes the next one, the log the one behind. */
  @Test
  void firstWrite_ofAReopenedDatabase_takesTheNextNumbers() throws IOException {
    makeDatabase(watched().build());
    String manifest = current();
    int table = Integer.parseInt(files(FileName.Kind.TABLE).get(0).substring(0, 6));
    open();
    put("c", "3");
    int next = Integer.parseInt(current().substring("MANIFEST-".length()));
    assertThat(next).isGreaterThan(table);
    assertThat(current()).isNotEqualTo(manifest);
    assertThat(logFile().getFileName().toString())
        .isEqualTo(String.format(Locale.ROOT, "%06d.log", next + 1));
  }

  /** What an eager open is needed for. */
  @ParameterizedTest
  @ValueSource(
      strings = {"record", "torn", "garbage", "second log", "log gone", "reuse", "previous"})
  void open_somethingToRecover_beginsTheLogItself(String what) throws IOException {
    makeDatabase(watched().build());
    Path log = logFile();
    Options with = watched().build();
    switch (what) {
      case "record" -> {
        open();
        put("c", "3");
        close();
        log = logFile();
      }
      case "torn" -> Files.write(log, new byte[] {1, 2, 3, 4, 9, 0, 1, 'x'});
      case "garbage" -> {
        byte[] content = new byte[64 << 10];
        Arrays.fill(content, 100, 200, (byte) 7); // as of a payload without its header
        Files.write(log, content);
      }
      case "second log" -> Files.write(directory.resolve("000050.log"), new byte[0]);
      case "log gone" -> {
        Files.delete(log);
        with = watched().recoveryMode(RecoveryMode.POINT_IN_TIME).build();
      }
      case "reuse" -> {
        Files.write(log, new byte[64 << 10]); // zeros at its end: it cannot be appended to
        with = watched().reuseLogs(true).build();
      }
      default -> Files.copy(log, directory.resolve("000001.log"));
    }
    boolean previous = what.equals("previous"); // obsolete, as the MANIFEST does not name it
    String old = log.getFileName().toString();
    watch();
    open(with);
    assertThat(count(Kind.CREATE, ".log")).isEqualTo(previous ? 0 : 1);
    assertThat(files(FileName.Kind.LOG).contains(old)).isEqualTo(previous);
    assertThat(get("a")).isEqualTo("1");
    put("d", "4");
    assertThat(count(Kind.CREATE, ".log")).isEqualTo(1);
    assertThat(files(FileName.Kind.LOG)).hasSize(1);
    reopen();
    assertThat(get("d")).isEqualTo("4");
  }

  @Test
  void firstWrite_ofManyAtOnce_beginsOneLog() throws Exception {
    makeDatabase(watched().build());
    for (int round = 0; round < 20; round++) {
      open();
      watch();
      int threads = 4;
      CyclicBarrier start = new CyclicBarrier(threads);
      ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
      List<Thread> writers = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        String key = "key" + i;
        boolean sync = i % 2 == 0;
        Thread writer =
            new Thread(
                () -> {
                  try {
                    start.await();
                    db.put(WriteOptions.builder().sync(sync).build(), b(key), b(key));
                  } catch (Throwable e) {
                    failures.add(e);
                  }
                });
        writers.add(writer);
        writer.start();
      }
      for (Thread writer : writers) {
        writer.join();
      }
      assertThat(failures).isEmpty();
      assertThat(count(Kind.CREATE, ".log")).as("round %d", round).isEqualTo(1);
      assertThat(count(Kind.CREATE, "MANIFEST")).isEqualTo(1);
      assertThat(contents())
          .isEqualTo("(a->1)(b->2)(key0->key0)(key1->key1)(key2->key2)(key3->key3)");
      compact(null, null); // so that the next open finds none to do
      close();
    }
  }

  @Test
  void readers_whileTheFirstWriteBeginsTheLog_keepTheirViews() throws Exception {
    makeDatabase(watched().build());
    open();
    Snapshot snapshot = db.snapshot();
    DBIterator cursor = db.iterator();
    cursor.seekToFirst();
    List<String> seen = new ArrayList<>();
    env.watch(
        operation -> {
          if (CHANGES.contains(operation.kind())) {
            seen.add(get("a") + get("c") + contents());
          }
        });
    put("a", "new");
    env.watch(operation -> {});
    assertThat(seen).hasSizeGreaterThan(5).allMatch("1NOT_FOUND(a->1)(b->2)"::equals);
    assertThat(at(cursor)).isEqualTo("a->1");
    cursor.next();
    assertThat(at(cursor)).isEqualTo("b->2");
    assertThat(get("a", snapshot)).isEqualTo("1");
    assertThat(get("a")).isEqualTo("new");
    cursor.close();
    snapshot.close();
  }

  @ParameterizedTest
  @CsvSource({"CREATE, ERROR", "RESERVE, NO_SPACE"})
  void firstWrite_logCannotBeMade_isNotDoneAndMayBeTriedAgain(Kind kind, Fault fault)
      throws IOException {
    makeDatabase(watched().build());
    List<String> before = bytesOfEveryFile();
    open();
    for (int i = 0; i < 3; i++) {
      env.fail(fault, 1, each -> each.kind() == kind);
      assertThatThrownBy(() -> put("c", "3"))
          .isInstanceOf(DBIOException.class)
          .hasMessageContaining("was not done")
          .hasMessageContaining("may be tried again");
      assertThat(env.injected()).isEqualTo(1);
    }
    env.heal();
    assertThat(get("c")).isEqualTo(NOT_FOUND);
    assertThat(contents()).isEqualTo("(a->1)(b->2)");
    assertThat(bytesOfEveryFile()).isEqualTo(before);
    put("c", "3");
    assertThat(db.admin().stats().writes().lastSequence()).isEqualTo(3);
    reopen();
    assertThat(contents()).isEqualTo("(a->1)(b->2)(c->3)");
  }

  @Test
  void firstWrite_logCannotBeMadeDurable_endsWriting() throws IOException {
    makeDatabase(watched().build());
    List<String> before = bytesOfEveryFile();
    open();
    env.fail(Fault.SYNC, 1, each -> each.kind() == Kind.SYNC_DIRECTORY);
    assertThatThrownBy(() -> put("c", "3"))
        .isInstanceOf(DBIOException.class)
        .hasMessageContaining("was not done")
        .hasMessageContaining("until it is opened again");
    assertThatThrownBy(() -> put("c", "3")).isInstanceOf(DBReadOnlyException.class);
    assertThat(bytesOfEveryFile()).isEqualTo(before);
    reopen();
    put("c", "4");
    assertThat(contents()).isEqualTo("(a->1)(b->2)(c->4)");
  }

  /**
   * Fails the k-th change after the log and the empty MANIFEST were created: writes of the MANIFEST
   * are 1 to 4, its sync and that of the directory 5 and 6; the file that becomes CURRENT is made
   * by 7 and 8, synced by 9 and renamed by 10, and the directory is synced by 11.
   */
  private void failAtChange(int k) {
    int[] left = {k};
    boolean[] logNamed = {false};
    env.fail(
        Fault.ERROR,
        1,
        each -> {
          boolean counts =
              logNamed[0] && CHANGES.contains(each.kind()) && each.kind() != Kind.DELETE;
          logNamed[0] |= each.kind() == Kind.SYNC_DIRECTORY;
          return counts && left[0]-- == 0;
        });
  }

  /** Opens a database, and lets the k-th change of its first write fail, with that message. */
  private void expectAFirstWriteThatFails(int k, String message) throws IOException {
    makeDatabase(watched().build());
    open();
    failAtChange(k);
    assertThatThrownBy(() -> put("c", "3"))
        .isInstanceOf(DBIOException.class)
        .hasMessageContaining("was not done")
        .hasMessageContaining(message);
    assertThat(env.injected()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 7, 8})
  void firstWrite_newManifestOrCurrentCannotBeWritten_isNotDoneAndMayBeTriedAgain(int k)
      throws IOException {
    expectAFirstWriteThatFails(k, "may be tried again");
    assertThat(files(FileName.Kind.LOG)).hasSize(1);
    assertThat(files(FileName.Kind.MANIFEST)).containsExactly(current());
    put("c", "4");
    assertThat(contents()).isEqualTo("(a->1)(b->2)(c->4)");
    assertThat(files(FileName.Kind.TEMP)).isEmpty();
    reopen();
    assertThat(contents()).isEqualTo("(a->1)(b->2)(c->4)");
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 6, 9, 10, 11})
  void firstWrite_manifestCannotBeWritten_endsWriting(int k) throws IOException {
    expectAFirstWriteThatFails(k, "until it is opened again");
    assertThatThrownBy(() -> put("c", "3")).isInstanceOf(DBReadOnlyException.class);
    assertThatThrownBy(() -> db.admin().flush()).isInstanceOf(DBReadOnlyException.class);
    assertThatThrownBy(() -> db.write(batch())).isInstanceOf(DBReadOnlyException.class);
    assertThat(files(FileName.Kind.LOG)).hasSize(2);
    assertThat(contents()).isEqualTo("(a->1)(b->2)");
    env.heal();
    reopen();
    assertThat(contents()).isEqualTo("(a->1)(b->2)");
    put("c", "4");
    reopen();
    assertThat(contents()).isEqualTo("(a->1)(b->2)(c->4)");
  }

  /** Leaves a closed database whose level 0 is due for a compaction, and whose log is empty. */
  private void makeCompactionDue(Options with) {
    open(with);
    db.admin().suspendCompactions();
    for (int i = 0; i < 6; i++) {
      put("a", "" + i);
      put("b", "2");
      db.admin().flush();
    }
    close();
  }

  @Test
  void compaction_beforeTheFirstWrite_keepsTheLogThatTheManifestNames() throws IOException {
    makeCompactionDue(watched().build());
    String manifest = current();
    Path log = logFile();
    watch();
    open();
    await("the compaction", () -> filesAt(0) == 0);
    await("the collection", () -> files(FileName.Kind.MANIFEST).size() == 1);
    assertThat(count(Kind.CREATE, "MANIFEST")).isEqualTo(1);
    assertThat(count(Kind.CREATE, ".log")).isZero();
    assertThat(current()).isNotEqualTo(manifest);
    assertThat(files(FileName.Kind.MANIFEST)).containsExactly(current());
    assertThat(log).exists();
    String begun = current();
    close();
    assertThat(log).exists();
    watch();
    open();
    assertThat(changes).isEmpty();
    assertThat(contents()).isEqualTo("(a->5)(b->2)");
    assertThat(current()).isEqualTo(begun);
    put("c", "3");
    assertThat(log).doesNotExist();
    reopen();
    assertThat(contents()).isEqualTo("(a->5)(b->2)(c->3)");
  }

  @Test
  void firstWrite_afterACompaction_appendsToTheManifestBegunByIt() throws IOException {
    makeCompactionDue(watched().build());
    open();
    await("the compaction", () -> filesAt(0) == 0);
    String begun = current();
    watch();
    put("c", "3");
    assertThat(count(Kind.CREATE, "MANIFEST")).isZero();
    assertThat(current()).isEqualTo(begun);
    reopen();
    assertThat(contents()).isEqualTo("(a->5)(b->2)(c->3)");
  }

  /**
   * Nothing that was found may be deleted before what was found is durable, whoever asks for a
   * collection.
   */
  @Test
  void compaction_givenUpBeforeTheFirstWrite_deletesNothing() throws IOException {
    makeCompactionDue(watched().build());
    List<String> tables = files(FileName.Kind.TABLE);
    Path table = directory.resolve(tables.get(tables.size() - 1));
    byte[] bytes = Files.readAllBytes(table);
    Files.write(table, new byte[bytes.length]);
    for (String name : List.of("000001.ldb", "000001.log", "MANIFEST-000001")) {
      Files.writeString(directory.resolve(name), "needed by what a loss of power would leave");
    }
    List<String> before = bytesOfEveryFile();
    CountDownLatch collected = new CountDownLatch(1);
    env.watch(
        each -> {
          if (each.kind() == Kind.LIST
              && each.path().equals(directory)
              && Thread.currentThread().getName().startsWith("kv-compact")) {
            collected.countDown();
          }
        });
    open();
    await("the collection after the compaction", () -> collected.getCount() == 0);
    close();
    assertThat(bytesOfEveryFile()).containsAll(before);
    Files.write(table, bytes);
    open();
    await("the compaction", () -> filesAt(0) == 0);
    for (String name : List.of("000001.ldb", "000001.log", "MANIFEST-000001")) {
      await("the collection of " + name, () -> !Files.exists(directory.resolve(name)));
    }
    assertThat(contents()).isEqualTo("(a->5)(b->2)");
  }

  /**
   * The edit of the last flush was never synced, nor CURRENT's rename in another case: the next
   * open reads it from the page cache, and loss of power brings back what was before, which still
   * has its log.
   */
  @ParameterizedTest
  @CsvSource({
    "SYNC, MANIFEST, false",
    "SYNC, MANIFEST, true",
    "SYNC_DIRECTORY, db, false",
    "SYNC_DIRECTORY, db, true"
  })
  void lossOfPower_afterAnOpenOfWhatWasNotSynced_keepsWhatWas(
      Kind kind, String name, boolean reuseLogs) {
    for (int seed = 0; seed < 15; seed++) {
      for (int kept : new int[] {0, 50, 90}) {
        StrictMemEnv disk = new StrictMemEnv();
        FaultEnv faulty = new FaultEnv(disk);
        HookedEnv hooked = new HookedEnv(faulty);
        hooked.noMappedLogs = reuseLogs; // so that the log ends where its records do
        Options with = watched().env(hooked).reuseLogs(reuseLogs).writeBufferSize(64 << 10).build();
        leaveUnsynced(faulty, with.toBuilder().reuseLogs(false).build(), kind, name);
        String when = "seed " + seed + ", kept " + kept;
        open(with);
        assertThat(contents()).as(when).isEqualTo("(a->1)(b->2)");
        expectBoth(disk.crashClone(kept, seed), when + ", open");
        close();
        open(with);
        expectBoth(disk.crashClone(kept, seed), when + ", open again");
        put("c", "3");
        expectBoth(disk.crashClone(kept, seed), when + ", written to");
        db.put(WriteOptions.SYNC, b("d"), b("4"));
        StrictMemEnv later = disk.crashClone(kept, seed);
        expectBoth(later, when + ", synced");
        try (DB after = DB.open(directory, with.toBuilder().env(later).build())) {
          assertThat(s(after.get(b("d")))).as(when).isEqualTo("4");
        }
        close();
      }
    }
  }

  /** Writes two keys durably, and flushes them by an edit that reaches the page cache alone. */
  private void leaveUnsynced(FaultEnv faulty, Options with, Kind kind, String name) {
    open(with);
    db.put(WriteOptions.SYNC, b("a"), b("1"));
    db.put(WriteOptions.SYNC, b("b"), b("2"));
    boolean rename = kind == Kind.SYNC_DIRECTORY;
    boolean[] renamed = {false};
    faulty.fail(
        Fault.ERROR,
        Long.MAX_VALUE,
        each -> {
          renamed[0] |= each.kind() == Kind.RENAME;
          return each.kind() == kind
              && each.path().toString().contains(name)
              && (!rename || renamed[0]);
        });
    try {
      if (rename) {
        reopen(with); // flushes, and begins a MANIFEST
      } else {
        db.admin().flush();
      }
    } catch (DBException expected) {
      assertThat(faulty.injected()).isPositive();
    }
    close();
    assertThat(faulty.injected()).isPositive();
    faulty.heal();
  }

  private void expectBoth(StrictMemEnv found, String when) {
    Options with = Options.builder().env(found).writeBufferSize(64 << 10).build();
    try (DB after = DB.open(directory, with)) {
      assertThat(s(after.get(b("a")))).as(when).isEqualTo("1");
      assertThat(s(after.get(b("b")))).as(when).isEqualTo("2");
    }
  }

  /**
   * An acknowledged write hangs on nothing that was there before it; a flush says the same of what
   * was found.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void flush_beforeTheFirstWrite_makesDurableWhatTheOpenFound(boolean emptyBatch) {
    StrictMemEnv disk = new StrictMemEnv();
    FaultEnv faulty = new FaultEnv(disk);
    Options with = watched().env(faulty).build();
    leaveUnsynced(faulty, with, Kind.SYNC, "MANIFEST");
    open(with);
    if (emptyBatch) {
      db.write(WriteOptions.SYNC, batch());
    } else {
      db.admin().flush();
    }
    StrictMemEnv found = disk.crashClone(0, 1);
    try (DB after = DB.open(directory, Options.builder().env(found).build())) {
      assertThat(after.admin().property("leveldb.num-files-at-level0"))
          .isEqualTo(db.admin().property("leveldb.num-files-at-level0"));
      assertThat(after.admin().stats().recovery().records()).isZero();
      assertThat(s(after.get(b("a")))).isEqualTo("1");
    }
  }

  @Test
  void close_beforeTheFirstWrite_lettingWritesAndReadsFail() {
    makeDatabase(watched().build());
    open();
    DB closed = db;
    close();
    assertThatThrownBy(() -> closed.put(b("c"), b("3")))
        .isInstanceOf(dev.kv.errors.DBClosedException.class);
    assertThatThrownBy(closed.admin()::flush).isInstanceOf(dev.kv.errors.DBClosedException.class);
    open();
    assertThat(contents()).isEqualTo("(a->1)(b->2)");
  }
}
