package dev.kv.core.recovery;

import static dev.kv.core.Bytes.bytes;
import static dev.kv.core.LogFiles.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.Options;
import dev.kv.admin.DBStats;
import dev.kv.core.EnvFiles;
import dev.kv.core.LogFiles;
import dev.kv.core.key.InternalKey;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.state.DatabaseContext;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.options.RecoveryMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a replay of logs finds, counts, and reports. */
class LogRecoveryTest {
  private static final Path DIRECTORY = Path.of("/db");
  private static final Path MANIFEST = DIRECTORY.resolve("MANIFEST-000002");

  private final Env env = Env.inMemory();
  private final List<DatabaseContext> contexts = new ArrayList<>();
  private final List<Integer> full = new ArrayList<>();

  @BeforeEach
  void createDirectory() throws IOException {
    env.createDirectory(DIRECTORY);
  }

  @AfterEach
  void closeAll() {
    for (DatabaseContext context : contexts) {
      context.close();
      assertThat(context.budget().used()).isZero();
    }
  }

  private static Path log(int number) {
    return DIRECTORY.resolve("00000" + number + ".log");
  }

  private void write(int number, byte[]... records) throws IOException {
    LogFiles.write(env, log(number), records);
  }

  private void cut(int number, int bytes) throws IOException {
    byte[] content = EnvFiles.read(env, log(number));
    EnvFiles.write(env, log(number), Arrays.copyOf(content, content.length - bytes));
  }

  private LogRecovery recovery(RecoveryMode mode, long lastSequence) {
    Options options =
        Options.builder().env(env).recoveryMode(mode).writeBufferSize(64 << 10).build();
    DatabaseContext context = new DatabaseContext(DIRECTORY, options);
    contexts.add(context);
    return new LogRecovery(context, lastSequence, this::full);
  }

  private void full(MemTable memtable) {
    full.add(memtable.entryCount());
    memtable.release();
  }

  /** Replays logs, and returns how many entries are left in the last memtable. */
  private static int replay(LogRecovery recovery, long... numbers) throws IOException {
    recovery.replay(Arrays.stream(numbers).boxed().toList(), 0);
    MemTable rest = recovery.takeMemTable();
    assertThat(recovery.takeMemTable()).isNull();
    if (rest == null) {
      return 0;
    }
    int entries = rest.entryCount();
    rest.release();
    return entries;
  }

  @Test
  void replay_ofLogs_bringsAllEntriesBack() throws IOException {
    write(3, record(1, "a", "b"));
    write(4, record(3, "c"));
    LogRecovery recovery = recovery(RecoveryMode.STRICT, 0);
    assertThat(replay(recovery, 3, 4)).isEqualTo(3);
    assertThat(recovery.lastSequence()).isEqualTo(3);
    assertThat(recovery.report()).isEqualTo(new DBStats.Recovery(2, 2, 0, ""));
    assertThat(recovery.foundNothing()).isFalse();
    assertThat(recovery.isPrefix()).isTrue();
    assertThat(recovery.appendableLength()).isEqualTo(env.size(log(4)));
    assertThat(recovery.lostEdits().mayLackEdit()).isFalse();
    assertThat(recovery.lostEdits().lacksChange(0)).isFalse();
  }

  @Test
  void replay_ofEmptyLogs_findsNothing() throws IOException {
    write(3);
    LogRecovery recovery = recovery(RecoveryMode.STRICT, 7);
    assertThat(replay(recovery, 3)).isZero();
    assertThat(recovery.foundNothing()).isTrue();
    assertThat(recovery.lastSequence()).isEqualTo(7);
    assertThat(recovery.appendableLength()).isZero();
    assertThat(recovery.report()).isEqualTo(new DBStats.Recovery(1, 0, 0, ""));
    recovery.flushRest();
    assertThat(full).isEmpty();
  }

  @Test
  void replay_ofMoreThanAWriteBuffer_passesFullMemTablesOn() throws IOException {
    byte[][] records = new byte[200][];
    for (int i = 0; i < records.length; i++) {
      records[i] = record(i + 1, "key" + i + "x".repeat(1000));
    }
    write(3, records);
    LogRecovery recovery = recovery(RecoveryMode.STRICT, 0);
    recovery.replay(List.of(3L), 3);
    assertThat(full).hasSizeBetween(2, 5);
    recovery.flushRest();
    assertThat(full.stream().mapToInt(each -> each).sum()).isEqualTo(200);
    recovery.flushRest();
    assertThat(full.stream().mapToInt(each -> each).sum()).isEqualTo(200);
  }

  @Test
  void abandon_freesTheLastMemTable() throws IOException {
    write(3, record(1, "a"));
    LogRecovery recovery = recovery(RecoveryMode.STRICT, 0);
    recovery.replay(List.of(3L), 3);
    recovery.abandon();
    assertThat(recovery.takeMemTable()).isNull();
  }

  @ParameterizedTest
  @EnumSource(names = {"STRICT", "TORN_WRITES", "POINT_IN_TIME", "CPP_COMPAT"})
  void replay_ofALogThatEndsInsideARecord_dropsThat(RecoveryMode mode) throws IOException {
    write(3, record(1, "a"), record(2, "b"));
    int end = (int) env.size(log(3));
    cut(3, 1);
    LogRecovery recovery = recovery(mode, 0);
    assertThat(replay(recovery, 3)).isEqualTo(1);
    assertThat(recovery.lastSequence()).isEqualTo(1);
    assertThat(recovery.appendableLength()).isEqualTo(-1);
    assertThat(recovery.foundNothing()).isFalse();
    assertThat(recovery.isPrefix()).isEqualTo(mode != RecoveryMode.CPP_COMPAT);
    assertThat(recovery.report().records()).isEqualTo(1);
    assertThat(recovery.report().droppedBytes()).isEqualTo(end / 2 - 1);
    assertThat(recovery.report().reason()).contains("the log ends inside a record", "000003.log");
  }

  /** Up to the end of the log, no byte is read after one that is damaged. */
  @Test
  void replay_ofALogThatIsDamagedInItsLastBlock_countsItsBytesOnce() throws IOException {
    write(3, record(1, "a"), record(2, "b"), record(3, "c"));
    byte[] log = EnvFiles.read(env, log(3));
    int each = log.length / 3;
    log[each + 8] ^= 1;
    EnvFiles.write(env, log(3), log);
    LogRecovery recovery = recovery(RecoveryMode.CPP_COMPAT, 0);
    assertThat(replay(recovery, 3)).isEqualTo(1);
    assertThat(recovery.report().droppedBytes()).isEqualTo(2L * each);
  }

  @Test
  void replay_ofALogThatDoesNotFollow_endsBeforeItAndCountsTheRest() throws IOException {
    write(3, record(1, "a"));
    byte[] lost = record(5, "b");
    byte[] later = record(6, "c", "d");
    write(4, lost);
    write(5, later);
    LogRecovery recovery = recovery(RecoveryMode.POINT_IN_TIME, 0);
    assertThat(replay(recovery, 3, 4, 5)).isEqualTo(1);
    assertThat(recovery.report())
        .isEqualTo(
            new DBStats.Recovery(
                2,
                1,
                lost.length + later.length,
                "the log begins at sequence 5 instead of 2 (/db/000004.log, offset 0)"));
    assertThat(recovery.appendableLength()).isEqualTo(-1);
    LogRecovery compatible = recovery(RecoveryMode.CPP_COMPAT, 0);
    assertThat(replay(compatible, 3, 4, 5)).isEqualTo(4);
    assertThat(compatible.lastSequence()).isEqualTo(7);
    assertThat(compatible.isPrefix()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"3+4+5, 3, true", "4+5, 3, false", "3+5, 3, false", "4+5, 4, false", "5, 5, false"})
  void isPrefix_withoutSomeLogs_isTrueIfNoneIsMissingBeforeTheLast(
      String logs, long oldest, boolean expected) throws IOException {
    write(3, record(1, "a"));
    write(4, record(2, "b"));
    write(5, record(3, "c"));
    LogRecovery recovery = recovery(RecoveryMode.CPP_COMPAT, 0);
    recovery.replay(Arrays.stream(logs.split("\\+")).map(Long::valueOf).toList(), oldest);
    recovery.abandon();
    assertThat(recovery.isPrefix()).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 4})
  void isPrefix_afterALogIsCutToNothing_isFalse(int cut) throws IOException {
    write(3, record(1, "a"));
    write(4, record(2, "b"));
    write(5, record(3, "c"));
    write(cut);
    LogRecovery recovery = recovery(RecoveryMode.CPP_COMPAT, 0);
    assertThat(replay(recovery, 3, 4, 5)).isEqualTo(2);
    assertThat(recovery.isPrefix()).isFalse();
  }

  /** The MANIFEST has the number of a later write than the missing log. */
  @Test
  void isPrefix_withoutTheOldestLogAndWithoutAGap_isFalse() throws IOException {
    write(4, record(2, "b"));
    LogRecovery recovery = recovery(RecoveryMode.CPP_COMPAT, 1);
    recovery.replay(List.of(4L), 3);
    recovery.abandon();
    assertThat(recovery.isPrefix()).isFalse();
  }

  /** Nothing before the oldest log can be lost, and C++ LevelDB skips numbers inside a log. */
  @Test
  void replay_ofMissingNumbersThatLoseNothing_isWhole() throws IOException {
    write(3, record(10, "a"), record(12, "b"));
    LogRecovery recovery = recovery(RecoveryMode.STRICT, 5);
    assertThat(replay(recovery, 3)).isEqualTo(2);
    assertThat(recovery.lastSequence()).isEqualTo(12);
  }

  @Test
  void replay_ofRecordsThatAreNoBatches_isDamage() throws IOException {
    byte[] noBatch = record(1, "a");
    noBatch[8] = 9; // counts nine operations
    List<byte[]> damaged =
        List.of(noBatch, record(InternalKey.MAX_SEQUENCE, "a", "b"), record(-1, "a"));
    for (byte[] each : damaged) {
      write(3, record(1, "x"), each, record(2, "y"));
      LogRecovery recovery = recovery(RecoveryMode.POINT_IN_TIME, 0);
      assertThat(replay(recovery, 3)).isEqualTo(1);
      assertThat(recovery.lastSequence()).isEqualTo(1);
      assertThat(recovery.report().droppedBytes()).isEqualTo(each.length + record(2, "y").length);
      LogRecovery compatible = recovery(RecoveryMode.CPP_COMPAT, 0);
      assertThat(replay(compatible, 3)).isEqualTo(2);
      assertThat(compatible.report().droppedBytes()).isEqualTo(each.length);
      LogRecovery strict = recovery(RecoveryMode.STRICT, 0);
      assertThatThrownBy(() -> replay(strict, 3)).isInstanceOf(CorruptionException.class);
      strict.abandon();
    }
    write(3, record(InternalKey.MAX_SEQUENCE, "last"));
    LogRecovery recovery = recovery(RecoveryMode.STRICT, 0);
    assertThat(replay(recovery, 3)).as("the last number").isEqualTo(1);
  }

  @Test
  void replay_withoutTheOldestLog_isRefusedIfALaterOneHasRecords() throws IOException {
    write(4);
    LogRecovery recovery = recovery(RecoveryMode.POINT_IN_TIME, 0);
    recovery.replay(List.of(4L), 3);
    assertThat(recovery.report().reason())
        .isEqualTo("000003.log, which the MANIFEST needs, is missing");
    assertThat(recovery.foundNothing()).isFalse();
    write(4, record(1, "a"));
    LogRecovery ofRecords = recovery(RecoveryMode.POINT_IN_TIME, 0);
    assertThatThrownBy(() -> ofRecords.replay(List.of(4L), 3))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("000003.log");
    LogRecovery strict = recovery(RecoveryMode.STRICT, 0);
    assertThatThrownBy(() -> strict.replay(List.of(), 3)).isInstanceOf(CorruptionException.class);
    LogRecovery compatible = recovery(RecoveryMode.CPP_COMPAT, 0);
    compatible.replay(List.of(4L), 3);
    assertThat(compatible.lastSequence()).isEqualTo(1);
    compatible.abandon();
    LogRecovery none = recovery(RecoveryMode.STRICT, 0);
    none.replay(List.of(4L), 0);
    assertThat(none.report().reason()).isEmpty();
    none.abandon();
  }

  /** A change of the tables takes a number, and the number again confirms that it is durable. */
  @Test
  void replay_ofAConfirmedChange_requiresItInTheManifest() throws IOException {
    write(3, record(1, "a"), record(2), record(3), record(2), record(3, "b"));
    LogRecovery recovery = recovery(RecoveryMode.STRICT, 0);
    assertThat(replay(recovery, 3)).isEqualTo(2);
    assertThat(recovery.lastSequence()).isEqualTo(3);
    assertThat(recovery.report().records()).isEqualTo(5);
    assertThat(recovery.lostEdits().lacksChange(1)).isTrue();
    assertThat(recovery.lostEdits().lacksChange(2)).isFalse();
    assertThat(recovery.lostEdits().mayLackEdit()).isTrue();
    recovery.lostEdits().requireEndOfManifest(2, MANIFEST);
    assertThatThrownBy(() -> recovery.lostEdits().requireEndOfManifest(1, MANIFEST))
        .isInstanceOfSatisfying(
            CorruptionException.class, e -> assertThat(e.file()).isEqualTo(MANIFEST.toString()))
        .hasMessageContaining("000003.log confirms")
        .hasMessageContaining("sequence number 2");
  }

  @Test
  void report_withATornManifest_addsItsBytes() throws IOException {
    write(3, record(1, "a"), record(2, "b"));
    cut(3, 1);
    LogRecovery recovery = recovery(RecoveryMode.STRICT, 0);
    replay(recovery, 3);
    DBStats.Recovery before = recovery.report();
    recovery.noteManifest("the MANIFEST is torn", 100);
    assertThat(recovery.report())
        .isEqualTo(
            new DBStats.Recovery(
                1, 1, before.droppedBytes() + 100, before.reason() + "; the MANIFEST is torn"));
    LogRecovery whole = recovery(RecoveryMode.STRICT, 0);
    whole.noteManifest("the MANIFEST is torn", 100);
    assertThat(whole.report().reason()).isEqualTo("the MANIFEST is torn");
  }
}
