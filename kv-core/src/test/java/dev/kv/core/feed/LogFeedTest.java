package dev.kv.core.feed;

import static dev.kv.core.LogFiles.record;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.Options;
import dev.kv.WriteOptions;
import dev.kv.bytes.Slice;
import dev.kv.change.ChangeFeed;
import dev.kv.change.ChangeGroup;
import dev.kv.change.ChangeOptions;
import dev.kv.change.ChangePosition;
import dev.kv.change.Changes;
import dev.kv.change.OperationHandler;
import dev.kv.core.LogFiles;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.db.HookedEnv;
import dev.kv.core.env.FileName;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingSequentialFile;
import dev.kv.env.SequentialFile;
import dev.kv.errors.ChangesLostException;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.options.LogRetention;
import dev.kv.testing.FaultEnv;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests which records of which logs a reader of changes takes. The first log has the writes 1 and
 * 2, and is only kept; the tests replace its records.
 */
class LogFeedTest extends DbTestBase {
  private ChangePosition begin;
  private Path first;

  private static Options with(long bytes) {
    return defaults().toBuilder().logRetention(LogRetention.ofBytes(bytes)).build();
  }

  @BeforeEach
  void writeALog() {
    open(with(1L << 40));
    begin = db.changes().position();
    first = directory.resolve(files(FileName.Kind.LOG).get(0));
    put("a", "1");
    put("b", "1");
    db.admin().flush();
    assertThat(begin.sequence()).isZero();
  }

  private void replaceFirst(byte[]... records) throws IOException {
    Files.delete(first);
    LogFiles.write(Env.fileSystem(), first, records);
  }

  private static String keys(Changes changes) {
    StringBuilder keys = new StringBuilder();
    keys(changes, keys);
    return keys.toString().strip();
  }

  private static void keys(Changes changes, StringBuilder keys) {
    for (ChangeGroup group = changes.poll(); group != null; group = changes.poll()) {
      group.iterate(
          new OperationHandler() {
            @Override
            public void put(Slice key, Slice value) {
              keys.append(s(key.toByteArray()));
            }

            @Override
            public void delete(Slice key) {
              keys.append('-').append(s(key.toByteArray()));
            }
          });
      keys.append(' ');
    }
  }

  private String keysAfter(ChangePosition position) {
    try (Changes changes = db.changes().open(position)) {
      return keys(changes);
    }
  }

  /** Expects the group of the write 1, and then the end for a reason. */
  private void expectLostAfterTheFirst(String reason) {
    try (Changes changes = db.changes().open(begin)) {
      assertThat(requireNonNull(changes.poll()).count()).isEqualTo(1);
      assertThatThrownBy(changes::poll)
          .isInstanceOf(ChangesLostException.class)
          .hasMessageContaining(reason);
      assertThat(changes.position().sequence()).isEqualTo(1);
    }
  }

  @Test
  void record_thatIsNoBatch_isAGap() throws IOException {
    byte[] miscounted = record(2, "b");
    miscounted[8] = 2;
    byte[] cut = Arrays.copyOf(record(2, "b"), 15);
    byte[] negative = record(-2, "b");
    for (byte[] bad : new byte[][] {b("xyz"), miscounted, cut, negative}) {
      replaceFirst(record(1, "a"), bad);
      expectLostAfterTheFirst("has a record that is no batch");
    }
  }

  @Test
  void record_afterTheOneThatIsDue_isAGap() throws IOException {
    replaceFirst(record(1, "a"), record(3, "c"));
    expectLostAfterTheFirst("the next change in the logs has the sequence number 3");
  }

  @Test
  void record_withoutOperationsInPlaceOfTheOneThatIsDue_isAGap() throws IOException {
    replaceFirst(record(1, "a"), record(2), record(2, "b"));
    expectLostAfterTheFirst("the next change in the logs has the sequence number 2");
  }

  @Test
  void records_beforeTheOneThatIsDue_areSkipped() throws IOException {
    replaceFirst(record(0), record(1, "a"), record(1, "x"), record(1), record(2, "b"));
    assertThat(keysAfter(begin)).isEqualTo("a b");
  }

  @Test
  void log_withoutTheWriteThatIsDue_isAGap() throws IOException {
    replaceFirst(record(1, "a"));
    expectLostAfterTheFirst("no log has the write 2, although it was committed");
  }

  /** A recovery stopped before it, and its number was given to another write. */
  @Test
  void record_thatARecoveryDidNotBringBack_isSkippedWithTheRestOfItsLog() throws IOException {
    close();
    open();
    put("c", "1");
    sync();
    replaceFirst(record(1, "a"), record(2, "b"), record(3, "lost"), record(4, "lost"));
    assertThat(keysAfter(begin)).isEqualTo("a b c");
    replaceFirst(record(3, "lost"));
    assertThat(keysAfter(begin.withSequence(2))).isEqualTo("c");
    assertThatThrownBy(() -> db.changes().open(begin.withSequence(1)))
        .isInstanceOf(ChangesLostException.class)
        .hasMessageContaining("the oldest change in the logs has the sequence number 3");
  }

  private void sync() {
    db.write(WriteOptions.SYNC, batch());
  }

  @Test
  void group_ofSeveralWrites_hasTheirCountAndSize() throws IOException {
    byte[] both = record(1, "a", "b");
    replaceFirst(both);
    try (Changes changes = db.changes().open(begin)) {
      assertThat(changes).hasToString("Changes[" + begin + "]");
      ChangeGroup group = requireNonNull(changes.poll());
      assertThat(group.count()).isEqualTo(2);
      assertThat(group.size()).isEqualTo(both.length);
      assertThat(group)
          .hasToString(
              "ChangeGroup[2 operations, " + both.length + " bytes, " + group.position() + "]");
      assertThat(group.position().sequence()).isEqualTo(2);
      changes.close();
      assertThat(changes).hasToString("Changes[" + group.position() + ", closed]");
    }
  }

  @Test
  void oldestPosition_ofLogsWithAndWithoutRecords_isBeforeTheFirstOne() throws IOException {
    assertThat(db.changes().oldestPosition()).isEqualTo(begin);
    replaceFirst(record(2, "b"));
    assertThat(db.changes().oldestPosition()).isEqualTo(begin.withSequence(1));
    replaceFirst();
    assertThat(db.changes().oldestPosition()).isEqualTo(begin.withSequence(2));
    replaceFirst(b("8 bytes!"));
    assertThat(db.changes().oldestPosition()).isEqualTo(begin.withSequence(2));
    replaceFirst(b("short"));
    assertThat(db.changes().oldestPosition()).isEqualTo(begin.withSequence(2));
  }

  @Test
  void positions_inADatabaseWithoutKeptLogs_endWithTheOldestRecord() {
    reopen(with(0));
    db.admin().flush();
    db.admin().waitForCompactions();
    ChangePosition now = db.changes().position();
    assertThat(now.sequence()).isEqualTo(2);
    assertThat(db.changes().oldestPosition()).isEqualTo(now);
    assertThatThrownBy(() -> db.changes().open(begin))
        .isInstanceOf(ChangesLostException.class)
        .hasMessageContaining("the logs with the changes have been deleted");
    try (Changes changes = db.changes().open(now)) {
      assertThat(changes.poll()).isNull();
      put("c", "1");
      sync();
      assertThat(keys(changes)).isEqualTo("c");
    }
    assertThat(db.changes().oldestPosition()).isEqualTo(now);
    assertThat(keysAfter(now)).isEqualTo("c");
    assertThatThrownBy(() -> db.changes().open(begin))
        .isInstanceOf(ChangesLostException.class)
        .hasMessageContaining("the oldest change in the logs has the sequence number 3");
  }

  @Test
  void changes_fromTheEndOfALog_continueInTheNext() {
    put("c", "1");
    db.admin().flush();
    put("d", "1");
    sync();
    String[] after = {"a b c d", "b c d", "c d", "d", ""};
    for (int sequence = 0; sequence < after.length; sequence++) {
      assertThat(keysAfter(begin.withSequence(sequence)))
          .as("after " + sequence)
          .isEqualTo(after[sequence]);
    }
  }

  @Test
  void poll_afterAReadThatFailed_continuesWithTheSameGroup() {
    FaultEnv env = new FaultEnv(Env.fileSystem());
    reopen(options.toBuilder().env(env).build());
    for (int i = 0; i < 20; i++) {
      put(key(i), "v".repeat(10_000)); // some in two blocks
    }
    sync();
    String all = keysAfter(begin);
    for (int failing = 0; failing < 5; failing++) {
      int read = failing;
      AtomicInteger reads = new AtomicInteger();
      try (Changes changes = db.changes().open(begin)) {
        env.fail(
            FaultEnv.Fault.ERROR,
            1,
            operation ->
                operation.kind() == FaultEnv.Kind.READ
                    && operation.isOn(".log")
                    && reads.getAndIncrement() == read);
        StringBuilder keys = new StringBuilder();
        assertThatThrownBy(() -> keys(changes, keys)).isInstanceOf(DBIOException.class);
        keys(changes, keys);
        assertThat(keys.toString().strip()).isEqualTo(all);
      }
    }
  }

  @Test
  void feed_ofAClosedDatabase_refusesEachCall() {
    ChangeFeed feed = db.changes();
    Changes changes = feed.open(begin);
    close();
    assertThatThrownBy(() -> feed.open(begin)).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(feed::position).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(feed::oldestPosition).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(changes::poll).isInstanceOf(DBClosedException.class);
  }

  @Test
  void poll_withATimeout_acceptsEachDuration() throws InterruptedException {
    try (Changes changes = db.changes().open(begin)) {
      Duration longest = Duration.ofSeconds(Long.MAX_VALUE / 1_000_000_000, 999_999_999);
      assertThat(requireNonNull(changes.poll(longest)).count()).isEqualTo(1);
      assertThat(changes.poll(Duration.ofSeconds(Long.MAX_VALUE))).isNotNull();
      assertThat(changes.poll(Duration.ZERO)).isNull();
      assertThat(changes.poll(Duration.ofNanos(-1))).isNull();
    }
  }

  @Test
  void reader_atTheEndOrClosed_hasNoFileOpen() {
    AtomicInteger files = new AtomicInteger();
    Env env =
        new ForwardingEnv(Env.fileSystem()) {
          @Override
          public SequentialFile openSequential(Path file) throws IOException {
            files.incrementAndGet();
            return new ForwardingSequentialFile(super.openSequential(file)) {
              @Override
              public void close() throws IOException {
                files.decrementAndGet();
                super.close();
              }
            };
          }
        };
    reopen(options.toBuilder().env(env).build());
    assertThat(files).as("after the open").hasValue(0);
    Changes changes = db.changes().open(begin);
    assertThat(files).as("before the first poll").hasValue(0);
    assertThat(changes.poll()).isNotNull();
    assertThat(files).as("between two groups").hasValue(1);
    assertThat(keys(changes)).isEqualTo("b");
    assertThat(files).as("at the end").hasValue(0);
    changes.close();
    Changes other = db.changes().open(begin);
    assertThat(other.poll()).isNotNull();
    other.close();
    assertThat(files).as("after the close").hasValue(0);
    Changes last = db.changes().open(begin);
    assertThat(last.poll()).isNotNull();
    close();
    assertThat(files).as("after the close of the database").hasValue(0);
  }

  @Test
  void close_whenNoReaderCanCloseItsLog_freesEverythingAndThrows() {
    AtomicBoolean failing = new AtomicBoolean();
    Env env =
        new ForwardingEnv(Env.fileSystem()) {
          @Override
          public SequentialFile openSequential(Path file) throws IOException {
            return new ForwardingSequentialFile(super.openSequential(file)) {
              @Override
              public void close() throws IOException {
                super.close();
                if (failing.get() && file.toString().endsWith(".log")) {
                  throw new IOException("simulated");
                }
              }
            };
          }
        };
    reopen(options.toBuilder().env(env).build());
    Changes one = db.changes().open(begin);
    Changes other = db.changes().open(begin);
    assertThat(one.poll()).isNotNull();
    assertThat(other.poll()).isNotNull();
    failing.set(true);
    assertThatThrownBy(db::close)
        .isInstanceOf(DBIOException.class)
        .hasMessageContaining("cannot close a log")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    assertThat(one).asString().contains("closed");
    assertThat(other).asString().contains("closed");
    assertThat(parts().context().budget().used()).isZero();
    db.close();
    failing.set(false);
    open();
    assertThat(keysAfter(begin)).isEqualTo("a b");
  }

  /** What was written between the look for changes and the failure comes first. */
  @Test
  void poll_duringWhichTheDatabaseFails_doesNotThrowBeforeTheLastChange() {
    AtomicReference<Runnable> atClose = new AtomicReference<>();
    HookedEnv env = new HookedEnv(Env.fileSystem());
    Env closing =
        new ForwardingEnv(env) {
          @Override
          public SequentialFile openSequential(Path file) throws IOException {
            return new ForwardingSequentialFile(super.openSequential(file)) {
              @Override
              public void close() throws IOException {
                super.close();
                Runnable next = atClose.getAndSet(null);
                if (next != null) {
                  next.run();
                }
              }
            };
          }
        };
    reopen(options.toBuilder().env(closing).build());
    put("c", "1");
    try (Changes changes = db.changes().open(ChangeOptions.UNSYNCED, begin.withSequence(2))) {
      assertThat(changes.poll()).isNotNull();
      atClose.set(
          () -> {
            put("d", "1");
            env.logSyncFails = true;
            assertThatThrownBy(this::sync).isInstanceOf(DBIOException.class);
          });
      assertThat(changes.poll()).isNull();
      assertThat(atClose).hasValue(null);
      assertThat(changes.poll()).isNotNull();
      assertThatThrownBy(changes::poll).isInstanceOf(DBReadOnlyException.class);
    }
    env.logSyncFails = false;
  }

  @Test
  void reader_ofADatabaseThatFails_getsWhatIsCompleteAndThenTheFailure() throws Exception {
    HookedEnv env = new HookedEnv(Env.fileSystem());
    reopen(options.toBuilder().env(env).build());
    Changes changes = db.changes().open(ChangeOptions.UNSYNCED, begin.withSequence(2));
    put("c", "1");
    env.logSyncFails = true;
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    try (Changes waiting = db.changes().open(ChangeOptions.UNSYNCED, begin.withSequence(2))) {
      assertThat(waiting.take().count()).isEqualTo(1);
      Thread follower =
          new Thread(
              () -> {
                try {
                  waiting.take();
                } catch (InterruptedException | RuntimeException e) {
                  thrown.set(e);
                }
              });
      follower.start();
      await("the wait", () -> follower.getState() != Thread.State.RUNNABLE);
      assertThatThrownBy(this::sync).isInstanceOf(DBIOException.class);
      follower.join();
    }
    assertThat(thrown.get()).isInstanceOf(DBReadOnlyException.class);
    assertThat(changes.poll()).isNotNull();
    assertThatThrownBy(changes::poll).isInstanceOf(DBReadOnlyException.class);
    changes.close();
    env.logSyncFails = false;
  }
}
