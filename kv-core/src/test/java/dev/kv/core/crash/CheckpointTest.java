package dev.kv.core.crash;

import static dev.kv.core.Bytes.bytes;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.admin.LiveFiles;
import dev.kv.core.Directories;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.DatabaseExistsException;
import dev.kv.file.NewDirectory;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.FaultEnv.Kind;
import dev.kv.testing.FaultMode;
import dev.kv.testing.StrictMemEnv;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checkpoints beside writers, after each fault and after loss of power at each step. A checkpoint
 * holds exactly the writes up to the sequence number that it returns.
 */
@Tag("one-jdk")
@ExtendWith(Quiet.class)
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CheckpointTest {
  private static final Path PARENT = Path.of("/checkpoints");
  private static final Path DIRECTORY = PARENT.resolve("db");
  private static final Path TARGET = PARENT.resolve("copy");
  private static final int BATCHES = 60;

  /** The quick size fails one operation in three, and other ones in each mode. */
  private static final int STEP = Seeds.LONG ? 1 : 3;

  @TempDir Path temp;

  // Content.

  @ParameterizedTest
  @EnumSource
  void checkpoint_besideWriters_holdsExactlyTheSequenceReturned(Setting setting) throws Exception {
    besideWriters(setting, new StrictMemEnv(), PARENT, 40);
  }

  @Test
  void checkpoint_onDiskBesideWriters_holdsExactlyTheSequenceReturned() throws Exception {
    besideWriters(Setting.DEFAULT, Env.fileSystem(), temp, 40);
  }

  @Test
  void checkpoint_whereNothingCanBeLinked_isCopied() throws Exception {
    besideWriters(Setting.PARALLEL, new Unlinked(new StrictMemEnv()), PARENT, 10);
  }

  private static void besideWriters(Setting setting, Env env, Path parent, int count)
      throws Exception {
    Options options = setting.options(env);
    List<History> histories = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      histories.add(new History("writer" + i, i, 60, 2000));
    }
    AtomicInteger[] acknowledged = {new AtomicInteger(), new AtomicInteger(), new AtomicInteger()};
    env.createDirectory(parent);
    List<Long> sequences = new ArrayList<>();
    try (DB db = DB.open(parent.resolve("db"), options)) {
      try (Writers writers = new Writers(db, histories, acknowledged)) {
        for (int i = 0; i < count; i++) {
          writers.awaitWrite();
          Path target = parent.resolve("copy" + i);
          int[] least = new int[histories.size()];
          for (int h = 0; h < least.length; h++) {
            least[h] = acknowledged[h].get();
          }
          long sequence = db.admin().checkpoint(target);
          expect(options, target, histories, least, sequence);
          sequences.add(sequence);
        }
      }
    }
    assertThat(sequences).isSorted();
    assertThat(new TreeSet<>(sequences)).as("writers advance").hasSizeGreaterThan(1);
    for (int i = 0; i < count; i += 7) {
      expect(options, parent.resolve("copy" + i), histories, new int[histories.size()], -1);
    }
    assertThat(env.list(parent)).noneMatch(name -> name.contains("partial"));
  }

  /** Checks that a checkpoint holds a prefix of each history, together up to the sequence. */
  private static void expect(
      Options options, Path target, List<History> histories, int[] least, long sequence) {
    try (DB copy = DB.open(target, options.toBuilder().createIfMissing(false).build())) {
      long operations = 0;
      for (int h = 0; h < histories.size(); h++) {
        int found = histories.get(h).expectPrefix(copy, least[h], Integer.MAX_VALUE);
        operations += operations(histories.get(h), found);
      }
      if (sequence >= 0) {
        assertThat(operations).as("operations in the checkpoint").isEqualTo(sequence);
        assertThat(copy.admin().stats().writes().lastSequence()).isEqualTo(sequence);
      }
      copy.put(WriteOptions.SYNC, bytes("zzz"), bytes("written to the copy"));
      assertThat(copy.get(bytes("zzz"))).isNotNull();
    }
  }

  /** Returns the number of operations of the first {@code count} batches. */
  private static long operations(History history, int count) {
    long sum = 0;
    for (int number = 1; number <= count; number++) {
      sum += history.operations(number).size() + 1; // and the counter
    }
    return sum;
  }

  @Test
  void checkpoint_ofAnEmptyDatabase_isAnEmptyDatabase() {
    Options options = Setting.DEFAULT.options(parent(new StrictMemEnv()));
    try (DB db = DB.open(DIRECTORY, options)) {
      assertThat(db.admin().checkpoint(TARGET)).isZero();
      try (DB copy = DB.open(TARGET, options.toBuilder().errorIfExists(false).build())) {
        assertThat(new History(1, 10, 10).expectPrefix(copy, 0, 0)).isZero();
      }
    }
  }

  @Test
  void checkpoint_rightAfterAnOpen_hasWhatTheLogsHeld() {
    StrictMemEnv env = parent(new StrictMemEnv());
    History history = new History(2, 40, 300);
    for (Setting setting : Setting.values()) {
      Options options = setting.options(env);
      Path directory = PARENT.resolve("db" + setting);
      for (int round = 0; round < 3; round++) {
        Path target = PARENT.resolve("copy" + setting + round);
        try (DB db = DB.open(directory, options)) {
          long sequence = db.admin().checkpoint(target);
          try (DB copy = DB.open(target, options)) {
            assertThat(history.expectPrefix(copy, round * 5, round * 5)).isEqualTo(round * 5);
            assertThat(sequence).isEqualTo(operations(history, round * 5));
          }
          for (int i = 1; i <= 5; i++) {
            db.write(history.batch(round * 5 + i));
          }
        }
      }
    }
  }

  @Test
  void checkpointAndDatabase_writtenAndCompacted_doNotTouchEachOther() {
    StrictMemEnv env = parent(new StrictMemEnv());
    Options options = Setting.DEFAULT.options(env);
    History history = new History(3, 40, 3000);
    try (DB db = DB.open(DIRECTORY, options)) {
      write(db, history, 1, 40);
      db.admin().checkpoint(TARGET);
      try (DB copy = DB.open(TARGET, options)) {
        write(db, history, 41, 80);
        db.admin().compactRange(null, null);
        history.expectPrefix(copy, 40, 40);
        write(copy, history, 41, 60);
        copy.admin().compactRange(null, null);
        history.expectPrefix(copy, 60, 60);
        history.expectPrefix(db, 80, 80);
      }
    }
    DB.destroy(DIRECTORY, options);
    try (DB copy = DB.open(TARGET, options)) {
      history.expectPrefix(copy, 60, 60);
    }
  }

  @Test
  void checkpoint_openedForReadingOnly_holdsWhatThatShows() {
    StrictMemEnv env = parent(new StrictMemEnv());
    History history = new History(4, 40, 3000);
    for (Setting setting : Setting.values()) {
      Options options = setting.options(env);
      Path directory = PARENT.resolve("db" + setting);
      Path target = PARENT.resolve("copy" + setting);
      try (DB writer = DB.open(directory, options)) {
        write(writer, history, 1, 50);
        try (ReadOnlyDB reader = DB.openReadOnly(directory, options)) {
          write(writer, history, 51, 120);
          writer.admin().compactRange(null, null); // deletes the tables that the reader has open
          long sequence = reader.admin().checkpoint(target);
          assertThat(sequence).isEqualTo(operations(history, 50));
        }
        try (DB copy = DB.open(target, options)) {
          assertThat(history.expectPrefix(copy, 50, 50)).isEqualTo(50);
          assertThat(copy.admin().stats().writes().lastSequence())
              .isEqualTo(operations(history, 50));
          write(copy, history, 51, 70);
          copy.admin().compactRange(null, null);
          history.expectPrefix(copy, 70, 70);
        }
      }
    }
  }

  @Test
  void checkpoint_andWhatIsWrittenToIt_areReadByCpp() throws Exception {
    try (Cpp cpp = Cpp.start()) {
      assumeTrue(cpp != null, "Python has no plyvel");
      for (Setting setting : Setting.values()) {
        Options options = setting.options(Env.fileSystem());
        Path directory = temp.resolve("db" + setting);
        Path target = temp.resolve("copy" + setting);
        Path readOnlyTarget = temp.resolve("readOnly" + setting);
        History history = new History(5, 40, 3000);
        try (DB db = DB.open(directory, options)) {
          write(db, history, 1, 60);
          db.admin().checkpoint(target);
          try (ReadOnlyDB reader = DB.openReadOnly(directory, options)) {
            reader.admin().checkpoint(readOnlyTarget);
          }
          write(db, history, 61, 90);
        }
        expectEntries(cpp.read(target), history, 60);
        expectEntries(cpp.read(readOnlyTarget), history, 60);
        expectEntries(cpp.read(directory), history, 90);
        try (DB copy = DB.open(target, options)) {
          history.expectPrefix(copy, 60, 60);
        }
      }
    }
  }

  static void expectEntries(TreeMap<byte[], byte[]> found, History history, int count) {
    TreeMap<byte[], History.Operation> expected = history.after(count);
    assertThat(found).hasSize(expected.size() + 1);
    expected.forEach((key, operation) -> assertThat(found.get(key)).isEqualTo(operation.value()));
  }

  /** A deletion of a range is in the MANIFEST, and the writes after it are in the log. */
  @Test
  void readOnlyOpen_whileARangeIsDeleted_showsNoWriteAfterTheDeletionWithoutIt() {
    StrictMemEnv disk = parent(new StrictMemEnv());
    Options options = Setting.DEFAULT.options(disk);
    int[] seen = new int[2];
    for (int moment = 0; moment < 40; moment++) {
      Path directory = PARENT.resolve("db" + moment);
      Path target = PARENT.resolve("copy" + moment);
      FaultEnv env = new FaultEnv(disk);
      try (DB writer = DB.open(directory, options)) {
        writer.put(bytes("a"), bytes("1"));
        writer.admin().flush();
        writer.put(bytes("x"), bytes("2"));
        AtomicInteger left = new AtomicInteger(moment);
        env.watch(
            operation -> {
              if (left.getAndDecrement() == 0) {
                writer.deleteRange(bytes("a"), bytes("b"));
                writer.put(bytes("z"), bytes("3"));
              }
            });
        try (ReadOnlyDB reader = DB.openReadOnly(directory, options.toBuilder().env(env).build())) {
          boolean isLater = reader.get(bytes("z")) != null;
          assertThat(reader.get(bytes("a")) == null).as("at %d", moment).isEqualTo(isLater);
          seen[isLater ? 1 : 0]++;
          reader.admin().checkpoint(target);
        }
        try (DB copy = DB.open(target, options.toBuilder().createIfMissing(false).build())) {
          assertThat(copy.get(bytes("a")) == null).isEqualTo(copy.get(bytes("z")) != null);
        }
      }
    }
    assertThat(seen).as("moments before and after the deletion").doesNotContain(0);
  }

  @Test
  void checkpoint_besideDeletionsOfRanges_holdsAllUpToItsSequence() throws Exception {
    StrictMemEnv disk = parent(new StrictMemEnv());
    Options options = Setting.DEFAULT.options(disk);
    try (DB db = DB.open(DIRECTORY, options)) {
      AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
      AtomicInteger rounds = new AtomicInteger();
      Thread writer =
          new Thread(
              () -> {
                try {
                  for (int round = 1; !Thread.interrupted(); round++) {
                    byte[] number = bytes(Integer.toString(round));
                    db.put(bytes("a" + round % 7), number);
                    db.put(bytes("b" + round % 7), number);
                    db.deleteRange(bytes("a"), bytes("b"));
                    db.put(bytes("c"), number);
                    rounds.set(round);
                  }
                } catch (Throwable e) {
                  failure.set(e);
                }
              });
      writer.start();
      for (int i = 0; i < 30; i++) {
        Path target = PARENT.resolve("copy" + i);
        int least = rounds.get();
        db.admin().checkpoint(target);
        try (DB copy = DB.open(target, options)) {
          byte[] last = copy.get(bytes("c"));
          int round = last == null ? 0 : Integer.parseInt(new String(last, US_ASCII));
          assertThat(round).isGreaterThanOrEqualTo(least);
          for (int key = 0; key < 7; key++) {
            byte[] left = copy.get(bytes("a" + key));
            if (left != null) {
              assertThat(Integer.parseInt(new String(left, US_ASCII))).isEqualTo(round + 1);
            }
          }
          if (round > 0) {
            assertThat(copy.get(bytes("b" + round % 7))).isEqualTo(last);
          }
        }
      }
      writer.interrupt();
      writer.join();
      assertThat(failure.get()).isNull();
    }
  }

  // Misuse.

  @Test
  void checkpoint_ontoSomethingThatExists_isRefusedAndChangesNothing() throws IOException {
    StrictMemEnv env = parent(new StrictMemEnv());
    Options options = Setting.DEFAULT.options(env);
    History history = new History(6, 40, 300);
    try (DB db = DB.open(DIRECTORY, options)) {
      write(db, history, 1, 10);
      env.createDirectory(TARGET);
      env.createWritable(PARENT.resolve("file")).close();
      for (Path taken : List.of(TARGET, PARENT.resolve("file"), DIRECTORY)) {
        assertThatThrownBy(() -> db.admin().checkpoint(taken))
            .isInstanceOf(DatabaseExistsException.class)
            .hasMessageContaining("exists already");
      }
      assertThatThrownBy(() -> db.admin().checkpoint(PARENT.resolve("missing").resolve("copy")))
          .isInstanceOf(DBIOException.class)
          .hasMessageContaining("missing");
      assertThat(env.list(TARGET)).isEmpty();
      assertThat(env.list(PARENT)).containsExactlyInAnyOrder("db", "copy", "file");
      history.expectPrefix(db, 10, 10);
    }
  }

  @Test
  void checkpoint_whileAnotherWritesTheSameTarget_isRefused() throws IOException {
    StrictMemEnv env = parent(new StrictMemEnv());
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(env))) {
      try (NewDirectory other = NewDirectory.begin(env, TARGET)) {
        env.createWritable(other.path().resolve("file")).close();
        assertThatThrownBy(() -> db.admin().checkpoint(TARGET))
            .isInstanceOf(DBIOException.class)
            .hasMessageContaining("written by another");
        assertThat(env.list(other.path())).containsExactly("file");
      }
      db.admin().checkpoint(TARGET);
    }
  }

  /** A full disk often has room for a directory, but not for the file LOCK in it. */
  @Test
  void checkpoint_thatCannotLockItsTarget_leavesNoDirectory() throws IOException {
    FaultEnv env = new FaultEnv(parent(new StrictMemEnv()));
    Path lock = PARENT.resolve(TARGET.getFileName() + ".partial").resolve("LOCK");
    try (DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(env))) {
      env.fail(FaultEnv.Fault.ERROR, 1, operation -> operation.path().equals(lock));
      assertThatThrownBy(() -> db.admin().checkpoint(TARGET)).isInstanceOf(DBIOException.class);
      assertThat(env.injected()).isEqualTo(1);
      assertThat(env.list(PARENT)).containsExactly("db");
      db.admin().checkpoint(TARGET);
    }
  }

  @Test
  void checkpoint_afterTheClose_throws() {
    DB db = DB.open(DIRECTORY, Setting.DEFAULT.options(parent(new StrictMemEnv())));
    db.close();
    assertThatThrownBy(() -> db.admin().checkpoint(TARGET)).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(db.admin()::suspendDeletions).isInstanceOf(DBClosedException.class);
  }

  // Faults and loss of power.

  @ParameterizedTest
  @Tag("slow")
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "TORN")
  void operationOfACheckpoint_failing_leavesNoHalfOfOne(FaultMode mode) throws IOException {
    History history = new History(7, 40, 3000);
    for (boolean links : new boolean[] {true, false}) {
      boolean injected = true;
      long k = 1 + mode.ordinal() % STEP;
      for (; injected; k += STEP) {
        FaultEnv faulty = new FaultEnv(parent(new StrictMemEnv()));
        Env env = links ? faulty : new Unlinked(faulty);
        Options options = Setting.of(k).options(env);
        String what = mode + " at operation " + k;
        try (DB db = DB.open(DIRECTORY, options)) {
          write(db, history, 1, BATCHES);
          db.admin().waitForCompactions();
          long sequence = checkpoint(db, faulty, mode, k);
          injected = faulty.injected() > 0;
          faulty.heal();
          if (faulty.exists(TARGET)) {
            expectComplete(options, TARGET, history, what);
          } else {
            assertThat(sequence).as(what).isEqualTo(-1);
          }
          history.expectPrefix(db, BATCHES, BATCHES);
          if (!takesWrites(db)) {
            continue; // a sync of the database failed, too: of the name of its next log
          }
          db.admin().checkpoint(PARENT.resolve("again"));
          if (!faulty.exists(TARGET)) {
            assertThat(db.admin().checkpoint(TARGET)).isEqualTo(operations(history, BATCHES));
          }
          expectComplete(options, PARENT.resolve("again"), history, what);
          expectComplete(options, TARGET, history, what);
        } catch (RuntimeException | AssertionError e) {
          throw new AssertionError(what + ", " + faulty.lastFault(), e);
        }
      }
      assertThat(k)
          .as("operations of a checkpoint")
          .isGreaterThan(mode == FaultMode.SYNCS_FAIL ? 5 : 20);
    }
  }

  private static boolean takesWrites(DB db) {
    try {
      db.write(WriteOptions.SYNC, WriteBatch.create());
      return true;
    } catch (DBReadOnlyException e) {
      assertThat(e).rootCause().hasMessageStartingWith("injected fault: SYNC");
      return false;
    }
  }

  private static long checkpoint(DB db, FaultEnv faulty, FaultMode mode, long k) {
    mode.inject(faulty, faulty.operations() + k);
    try {
      return db.admin().checkpoint(TARGET);
    } catch (DBException e) {
      assertThat(e).hasMessageContaining(PARENT.toString());
      return -1;
    }
  }

  private static void expectComplete(Options options, Path target, History history, String what) {
    try (DB copy = DB.open(target, options)) {
      assertThat(history.expectPrefix(copy, BATCHES, BATCHES)).as(what).isEqualTo(BATCHES);
      assertThat(copy.admin().stats().writes().lastSequence())
          .isEqualTo(operations(history, BATCHES));
    }
  }

  /** The death of the process is the clone that keeps everything. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void powerOrProcess_lostAtEachStep_leavesNoCheckpointOrAll(boolean links) throws IOException {
    History history = new History(8, 40, 3000);
    for (Setting setting : Setting.values()) {
      StrictMemEnv disk = parent(new StrictMemEnv());
      FaultEnv watched = new FaultEnv(disk);
      Options options = setting.options(links ? watched : new Unlinked(watched));
      List<StrictMemEnv> clones = new ArrayList<>();
      PercentKept kept = new PercentKept();
      try (DB db = DB.open(DIRECTORY, options)) {
        write(db, history, 1, BATCHES);
        db.write(WriteOptions.SYNC, history.batch(BATCHES + 1));
        db.admin().waitForCompactions();
        db.admin().suspendCompactions();
        watched.watch(
            operation -> {
              for (int percent : kept.next()) {
                clones.add(disk.crashClone(percent, clones.size()));
              }
            });
        db.admin().checkpoint(TARGET);
        watched.watch(operation -> {});
        db.admin().resumeCompactions();
        StrictMemEnv after = disk.crashClone(0, 1);
        assertThat(after.exists(TARGET)).as("durable when it returns").isTrue();
        clones.add(after);
      }
      int complete = 0;
      for (StrictMemEnv clone : clones) {
        Options over = setting.options(clone);
        try (DB db = DB.open(DIRECTORY, over)) {
          history.expectPrefix(db, BATCHES + 1, BATCHES + 1);
        }
        if (clone.exists(TARGET)) {
          complete++;
          try (DB copy = DB.open(TARGET, over.toBuilder().createIfMissing(false).build())) {
            history.expectPrefix(copy, BATCHES + 1, BATCHES + 1);
          }
        } else {
          try (DB db = DB.open(DIRECTORY, over)) {
            db.admin().checkpoint(TARGET); // what was left behind is no obstacle
          }
          assertThat(clone.list(PARENT)).containsExactlyInAnyOrder("db", "copy");
        }
      }
      assertThat(clones).hasSizeGreaterThan(Seeds.LONG ? 60 : 30);
      assertThat(complete).isBetween(1, clones.size() / 2);
    }
  }

  /**
   * A killed process may leave an edit that is not durable. If a checkpoint linked its table and
   * the power failed, the table's number could come back, and its bytes be overwritten.
   */
  @Test
  void checkpoint_ofAStateThatIsNotDurable_makesItDurableFirst() throws IOException {
    StrictMemEnv disk = parent(new StrictMemEnv());
    FaultEnv env = new FaultEnv(disk);
    Options options = Setting.DEFAULT.options(env);
    History history = new History(9, 40, 300);
    try (DB db = DB.open(DIRECTORY, options)) {
      write(db, history, 1, 10);
      db.admin().flush();
    }
    List<String> operations = new CopyOnWriteArrayList<>();
    env.watch(operation -> operations.add(operation.kind() + " " + operation.path()));
    try (DB db = DB.open(DIRECTORY, options)) {
      operations.clear();
      db.admin().checkpoint(TARGET);
      int current = operations.indexOf(Kind.RENAME + " " + DIRECTORY.resolve("CURRENT"));
      int firstLink =
          operations.stream().map(each -> each.startsWith("LINK ")).toList().indexOf(true);
      assertThat(current).isNotNegative();
      assertThat(operations.get(current + 1)).startsWith(Kind.SYNC_DIRECTORY.toString());
      assertThat(firstLink).isGreaterThan(current + 1);
    }
  }

  // Live files.

  @Test
  void liveFiles_whileTheDatabaseGoesOn_stayAndAreAPointInTime() throws IOException {
    for (Setting setting : Setting.values()) {
      StrictMemEnv env = parent(new StrictMemEnv());
      Options options = setting.options(env).toBuilder().maxFileSize(1 << 20).build();
      History history = new History(10, 40, 3000);
      try (DB db = DB.open(DIRECTORY, options)) {
        write(db, history, 1, 40);
        LiveFiles live = db.admin().suspendDeletions();
        write(db, history, 41, 120);
        db.admin().compactRange(null, null);
        db.admin().flush();
        Path target = PARENT.resolve("by-hand");
        Directories.copy(live, env, target);
        try (DB copy = DB.open(target, options)) {
          assertThat(history.expectPrefix(copy, 40, 40)).isEqualTo(40);
        }
        assertThat(live.sequence()).isEqualTo(operations(history, 40));
        List<String> held = live.files().stream().map(LiveFiles.File::name).toList();
        assertThat(env.list(DIRECTORY)).containsAll(held);
        live.close();
        live.close();
        write(db, history, 121, 160);
        db.admin().compactRange(null, null);
        awaitDeleted(env, held.stream().filter(name -> name.matches("[0-9].*")).toList());
        history.expectPrefix(db, 160, 160);
      }
    }
  }

  private static void awaitDeleted(Env env, List<String> names) throws IOException {
    long end = System.nanoTime() + 60_000_000_000L;
    while (env.list(DIRECTORY).stream().anyMatch(names::contains)) {
      assertThat(System.nanoTime()).as("held files are deleted in the end").isLessThan(end);
      env.sleepMicros(1000);
    }
  }

  // Tools.

  private static StrictMemEnv parent(StrictMemEnv env) {
    try {
      env.createDurableDirectory(PARENT);
      return env;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void write(DB db, History history, int from, int to) {
    for (int number = from; number <= to; number++) {
      db.write(history.batch(number));
    }
  }

  /** An environment that cannot link, as across file systems. */
  private static final class Unlinked extends ForwardingEnv {
    Unlinked(Env target) {
      super(target);
    }

    @Override
    public boolean link(Path existing, Path link) {
      return false;
    }
  }

  /** Threads that each write a history until they are closed or have written many batches. */
  static final class Writers implements AutoCloseable {
    /** A bound of the time that the comparison of a checkpoint with its histories takes. */
    private static final int MAX_BATCHES = 2000;

    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger[] acknowledged;
    private int seen;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile boolean stopped;

    Writers(DB db, List<History> histories, AtomicInteger[] acknowledged) {
      this.acknowledged = acknowledged;
      for (int h = 0; h < histories.size(); h++) {
        History history = histories.get(h);
        AtomicInteger done = acknowledged[h];
        Thread thread = new Thread(() -> run(db, history, done));
        threads.add(thread);
        thread.start();
      }
    }

    private void run(DB db, History history, AtomicInteger done) {
      try {
        for (int number = 1; number <= MAX_BATCHES && !stopped; number++) {
          db.write(WriteOptions.builder().sync(number % 50 == 0).build(), history.batch(number));
          done.set(number);
        }
      } catch (Throwable e) {
        failure.set(e);
      }
    }

    /** Waits until there was a write since the last call, or all are done. */
    void awaitWrite() {
      int now = seen;
      while (now == seen && now < MAX_BATCHES * acknowledged.length) {
        check();
        now = Arrays.stream(acknowledged).mapToInt(AtomicInteger::get).sum();
        LockSupport.parkNanos(100_000);
      }
      seen = now;
    }

    private void check() {
      assertThat(failure.get()).isNull();
    }

    @Override
    public void close() throws InterruptedException {
      stopped = true;
      for (Thread thread : threads) {
        thread.join();
      }
      check();
    }
  }
}
