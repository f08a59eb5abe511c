package dev.kv.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.admin.DBStats;
import dev.kv.core.LogFiles;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.errors.CorruptionException;
import dev.kv.options.RecoveryMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Each recovery mode on each kind of damage. Two logs hold twenty records of 3000 bytes each; a
 * table of cases says which of the forty come back, and which of the logs are moved to lost/.
 */
class RecoveryModeTest extends DbTestBase {
  private static final int EACH = 20;
  private static final int LENGTH = 3000;
  private static final String ALL = "0-39";
  private static final int RECORD = 7 + 12 + 1 + 1 + 9 + 2 + LENGTH;

  /** The beginning of record 35 in the second log, after one record that crosses a block. */
  private static final int IN_LAST_BLOCK = 15 * RECORD + 7;

  private Path first;
  private Path second;
  private Path third;

  /** Damage, by what it does to the bytes of the two logs. */
  enum Damage {
    NONE,
    /** The second log ends inside its last record. */
    CUT_TAIL,
    /** The same, and the next log was prepared: a kill can leave that. */
    CUT_TAIL_BEFORE_ZEROS,
    /** The same, and the next log has a record whose header was not written. */
    CUT_TAIL_BEFORE_BYTES,
    /** The same, and the next log has a record. */
    CUT_TAIL_BEFORE_RECORD,
    /** A byte of the second log's last record. */
    FLIPPED_LAST_RECORD,
    /** A byte of the fifth record of the second log. */
    FLIPPED_BYTE,
    /** A sector under the fifth record of the second log. */
    ZERO_SECTOR,
    /** The length of a record in the last block, so that it seems to end after the log. */
    LENGTH_IN_LAST_BLOCK,
    /** A sector under that record. */
    ZERO_SECTOR_IN_LAST_BLOCK,
    /** A page with the beginnings of records in it. */
    ZERO_PAGE,
    /** The same in the first log. */
    ZERO_SECTOR_IN_FIRST,
    FLIPPED_BYTE_IN_FIRST,
    /** The first log ends two records early, on a record: only the sequence numbers show it. */
    FIRST_ENDS_EARLY,
    /** The first log holds nothing at all. */
    FIRST_EMPTY,
    /** A record without damage whose sequence number leaves one out, as after a failed write. */
    NUMBER_LEFT_OUT
  }

  private static String value(int i) {
    return key(i).repeat(LENGTH / 9 + 1).substring(0, LENGTH);
  }

  private void makeLogs(boolean numberLeftOut) throws IOException {
    open();
    close();
    long number = FileNames.parse(files(FileName.Kind.LOG).get(0)).number();
    first = FileNames.log(directory, number);
    second = FileNames.log(directory, number + 1);
    third = FileNames.log(directory, number + 2);
    writeLog(first, 0, -1);
    writeLog(second, EACH, numberLeftOut ? EACH + 5 : -1);
  }

  private void writeLog(Path log, int from, int leftOutBefore) throws IOException {
    byte[][] records = new byte[EACH][];
    for (int i = from; i < from + EACH; i++) {
      EncodedBatch batch = new EncodedBatch();
      batch.put(b(key(i)), b(value(i)));
      records[i - from] =
          LogFiles.record(i + 1 + (leftOutBefore >= 0 && i >= leftOutBefore ? 1 : 0), batch);
    }
    LogFiles.write(Options.DEFAULT.env(), log, records);
  }

  private void damage(Damage damage) throws IOException {
    switch (damage) {
      case NONE, NUMBER_LEFT_OUT -> {}
      case CUT_TAIL -> cut(second, (int) Files.size(second) - 100);
      case CUT_TAIL_BEFORE_ZEROS -> {
        damage(Damage.CUT_TAIL);
        Files.write(third, new byte[32 << 10]);
      }
      case CUT_TAIL_BEFORE_BYTES -> {
        damage(Damage.CUT_TAIL);
        byte[] bytes = new byte[32 << 10];
        bytes[7] = 1;
        Files.write(third, bytes);
      }
      case CUT_TAIL_BEFORE_RECORD -> {
        damage(Damage.CUT_TAIL);
        EncodedBatch batch = new EncodedBatch();
        batch.put(b("a"), b("1"));
        LogFiles.write(
            Options.DEFAULT.env(), third, new byte[][] {LogFiles.record(2 * EACH + 1, batch)});
      }
      case FLIPPED_LAST_RECORD -> flip(second, (int) Files.size(second) - 100);
      case FLIPPED_BYTE -> flip(second, 4 * RECORD + 1000);
      case ZERO_SECTOR -> zero(second, 4 * RECORD + 1000, 512);
      case LENGTH_IN_LAST_BLOCK -> {
        byte[] bytes = Files.readAllBytes(second);
        bytes[IN_LAST_BLOCK + 5] |= (byte) 0x80;
        Files.write(second, bytes);
      }
      case ZERO_SECTOR_IN_LAST_BLOCK -> zero(second, IN_LAST_BLOCK + 1000, 512);
      case ZERO_PAGE -> zero(second, 4 * RECORD, 4096);
      case ZERO_SECTOR_IN_FIRST -> zero(first, 4 * RECORD + 1000, 512);
      case FLIPPED_BYTE_IN_FIRST -> flip(first, 4 * RECORD + 1000);
      // Two headers more than twenty records have: one record in ten crosses a block.
      case FIRST_ENDS_EARLY -> cut(first, (EACH - 2) * RECORD + 7);
      case FIRST_EMPTY -> cut(first, 0);
      default -> throw new AssertionError(damage);
    }
  }

  private static void cut(Path file, int length) throws IOException {
    Files.write(file, Arrays.copyOf(Files.readAllBytes(file), length));
  }

  private static void flip(Path file, int at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[at] ^= 4;
    Files.write(file, bytes);
  }

  private static void zero(Path file, int from, int length) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    int sector = from - from % 512 + 512;
    Arrays.fill(bytes, sector, sector + length, (byte) 0);
    Files.write(file, bytes);
  }

  /** Returns what is there of the forty, as runs. */
  private String found() {
    BitSet there = new BitSet();
    for (int i = 0; i < 2 * EACH; i++) {
      String value = get(key(i));
      if (!value.equals(NOT_FOUND)) {
        assertThat(value).isEqualTo(value(i));
        there.set(i);
      }
    }
    StringBuilder runs = new StringBuilder();
    for (int i = there.nextSetBit(0); i >= 0; i = there.nextSetBit(there.nextClearBit(i))) {
      runs.append(runs.length() == 0 ? "" : "+").append(i).append('-');
      runs.append(there.nextClearBit(i) - 1);
    }
    return runs.toString();
  }

  /** A second log's fifth record is number 24; a block holds ten records and most of another. */
  @ParameterizedTest
  @CsvSource({
    "NONE,                  TORN_WRITES,   0-39, ''",
    "NONE,                  POINT_IN_TIME, 0-39, ''",
    "NONE,                  STRICT,        0-39, ''",
    "NONE,                  CPP_COMPAT,    0-39, ''",
    "CUT_TAIL,              TORN_WRITES,   0-38, ''",
    "CUT_TAIL,              POINT_IN_TIME, 0-38, ''",
    "CUT_TAIL,              STRICT,        0-38, ''",
    "CUT_TAIL,              CPP_COMPAT,    0-38, ''",
    "CUT_TAIL_BEFORE_ZEROS, TORN_WRITES,   0-38, ''",
    "CUT_TAIL_BEFORE_ZEROS, POINT_IN_TIME, 0-38, ''",
    "CUT_TAIL_BEFORE_ZEROS, STRICT,        0-38, ''",
    "CUT_TAIL_BEFORE_ZEROS, PARANOID,      0-38, ''",
    "CUT_TAIL_BEFORE_ZEROS, CPP_COMPAT,    0-38, ''",
    "CUT_TAIL_BEFORE_BYTES, TORN_WRITES,   0-38, 2+3",
    "CUT_TAIL_BEFORE_BYTES, POINT_IN_TIME, 0-38, 2+3",
    "CUT_TAIL_BEFORE_BYTES, STRICT,        second, ''",
    "CUT_TAIL_BEFORE_BYTES, CPP_COMPAT,    0-38, ''",
    "CUT_TAIL_BEFORE_RECORD, TORN_WRITES,   0-38, 2+3",
    "CUT_TAIL_BEFORE_RECORD, POINT_IN_TIME, 0-38, 2+3",
    "CUT_TAIL_BEFORE_RECORD, STRICT,        second, ''",
    "FLIPPED_LAST_RECORD,   TORN_WRITES,   second, ''",
    "FLIPPED_LAST_RECORD,   POINT_IN_TIME, 0-38, 2",
    "FLIPPED_LAST_RECORD,   STRICT,        second, ''",
    "FLIPPED_LAST_RECORD,   CPP_COMPAT,    0-38, 2",
    "FLIPPED_BYTE,          TORN_WRITES,   second, ''",
    "FLIPPED_BYTE,          POINT_IN_TIME, 0-23, 2",
    "FLIPPED_BYTE,          STRICT,        second, ''",
    "FLIPPED_BYTE,          CPP_COMPAT,    0-23+31-39, 2",
    "ZERO_SECTOR,           TORN_WRITES,   0-23, 2",
    "ZERO_SECTOR,           POINT_IN_TIME, 0-23, 2",
    "ZERO_SECTOR,           STRICT,        second, ''",
    "ZERO_SECTOR,           CPP_COMPAT,    0-23+31-39, 2",
    "LENGTH_IN_LAST_BLOCK,  TORN_WRITES,   0-34, 2",
    "LENGTH_IN_LAST_BLOCK,  POINT_IN_TIME, 0-34, 2",
    "LENGTH_IN_LAST_BLOCK,  STRICT,        second, ''",
    "LENGTH_IN_LAST_BLOCK,  CPP_COMPAT,    0-34, 2",
    "ZERO_SECTOR_IN_LAST_BLOCK, TORN_WRITES,   0-34, 2",
    "ZERO_SECTOR_IN_LAST_BLOCK, POINT_IN_TIME, 0-34, 2",
    "ZERO_SECTOR_IN_LAST_BLOCK, STRICT,        second, ''",
    "ZERO_SECTOR_IN_LAST_BLOCK, CPP_COMPAT,    0-34, 2",
    "ZERO_PAGE,             TORN_WRITES,   0-23, 2",
    "ZERO_PAGE,             POINT_IN_TIME, 0-23, 2",
    "ZERO_PAGE,             STRICT,        second, ''",
    "ZERO_PAGE,             CPP_COMPAT,    0-23+31-39, 2",
    "ZERO_SECTOR_IN_FIRST,  TORN_WRITES,   0-3, 1+2",
    "ZERO_SECTOR_IN_FIRST,  POINT_IN_TIME, 0-3, 1+2",
    "ZERO_SECTOR_IN_FIRST,  STRICT,        first, ''",
    "ZERO_SECTOR_IN_FIRST,  CPP_COMPAT,    0-3+11-39, 1",
    "FLIPPED_BYTE_IN_FIRST, TORN_WRITES,   first, ''",
    "FLIPPED_BYTE_IN_FIRST, POINT_IN_TIME, 0-3, 1+2",
    "FLIPPED_BYTE_IN_FIRST, STRICT,        first, ''",
    "FLIPPED_BYTE_IN_FIRST, CPP_COMPAT,    0-3+11-39, 1",
    "FIRST_ENDS_EARLY,      TORN_WRITES,   0-17, 2",
    "FIRST_ENDS_EARLY,      POINT_IN_TIME, 0-17, 2",
    "FIRST_ENDS_EARLY,      STRICT,        second, ''",
    "FIRST_ENDS_EARLY,      CPP_COMPAT,    0-17+20-39, ''",
    "FIRST_EMPTY,           TORN_WRITES,   '', 2",
    "FIRST_EMPTY,           POINT_IN_TIME, '', 2",
    "FIRST_EMPTY,           STRICT,        second, ''",
    "FIRST_EMPTY,           CPP_COMPAT,    20-39, ''",
    "NUMBER_LEFT_OUT,       TORN_WRITES,   0-39, ''",
    "NUMBER_LEFT_OUT,       POINT_IN_TIME, 0-39, ''",
    "NUMBER_LEFT_OUT,       STRICT,        0-39, ''",
    "NUMBER_LEFT_OUT,       CPP_COMPAT,    0-39, ''"
  })
  void open_damagedLogs_givesWhatTheModeSays(
      Damage damage, RecoveryMode mode, String expected, String lost) throws IOException {
    makeLogs(damage == Damage.NUMBER_LEFT_OUT);
    damage(damage);
    Options with = defaults().toBuilder().recoveryMode(mode).build();
    if (expected.equals("first") || expected.equals("second")) {
      Path file = expected.equals("first") ? first : second;
      expectRefusal(with, file);
      if (mode == RecoveryMode.STRICT) {
        expectRefusal(defaults().toBuilder().recoveryMode(RecoveryMode.PARANOID).build(), file);
      }
      return;
    }
    try (ReadOnlyDB reader = DB.openReadOnly(directory, with)) {
      assertThat(reader.admin().stats().recovery().records()).isEqualTo(count(expected));
      assertThat(directory.resolve("lost")).doesNotExist();
    }
    Map<String, byte[]> moved = contents(lost);
    open(with);
    assertThat(found()).isEqualTo(expected);
    DBStats.Recovery report = db.admin().stats().recovery();
    assertThat(report.records()).isEqualTo(count(expected));
    if (expected.equals(ALL)) {
      assertThat(report).isEqualTo(new DBStats.Recovery(2, 2 * EACH, 0, ""));
    } else {
      boolean lostWithItsLog = damage == Damage.FIRST_EMPTY && mode == RecoveryMode.CPP_COMPAT;
      boolean cutOnARecord = damage == Damage.FIRST_ENDS_EARLY && mode == RecoveryMode.CPP_COMPAT;
      if (!lostWithItsLog && !cutOnARecord) {
        assertThat(report.droppedBytes()).isPositive();
        assertThat(report.reason()).contains(".log, offset ");
      }
    }
    expectLost(moved);
    assertThat(moved.keySet())
        .allSatisfy(name -> assertThat(report.reason()).contains("is kept as lost/" + name));
    reopen(defaults().toBuilder().recoveryMode(RecoveryMode.STRICT).build());
    assertThat(found()).as("after a reopen").isEqualTo(expected);
    assertThat(db.admin().stats().recovery().droppedBytes()).isZero();
    expectLost(moved);
    close();
    DB.repair(directory, defaults());
    moved.forEach(
        (name, bytes) ->
            assertThat(directory.resolve("lost").resolve(name)).hasBinaryContent(bytes));
    open();
    assertThat(found()).as("after a repair").isEqualTo(expected);
  }

  /** Returns the contents of the logs with these numbers, by name. */
  private Map<String, byte[]> contents(String logs) throws IOException {
    Map<String, byte[]> contents = new TreeMap<>();
    for (Path log : List.of(first, second, third)) {
      if (logs.contains(String.valueOf(List.of(first, second, third).indexOf(log) + 1))) {
        contents.put(log.getFileName().toString(), Files.readAllBytes(log));
      }
    }
    return contents;
  }

  private void expectLost(Map<String, byte[]> logs) throws IOException {
    Path lost = directory.resolve("lost");
    if (logs.isEmpty()) {
      assertThat(lost).doesNotExist();
      return;
    }
    try (Stream<Path> files = Files.list(lost)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(logs.keySet());
    }
    for (Map.Entry<String, byte[]> log : logs.entrySet()) {
      assertThat(lost.resolve(log.getKey())).hasBinaryContent(log.getValue());
      assertThat(directory.resolve(log.getKey())).doesNotExist();
    }
  }

  /** A kill leaves zeros after the records, and a damaged length then points at them. */
  @Test
  void open_strict_damagedLengthBeforeZeros_isRefused() throws IOException {
    makeLogs(false);
    damage(Damage.LENGTH_IN_LAST_BLOCK);
    Files.write(second, Arrays.copyOf(Files.readAllBytes(second), 64 << 10));
    expectRefusal(defaults().toBuilder().recoveryMode(RecoveryMode.STRICT).build(), second);
  }

  @Test
  void open_strictTornRecordWithBytesOfAnotherLog_ends() throws IOException {
    makeLogs(false);
    Path other = directory.resolve("other");
    LogFiles.write(Options.DEFAULT.env(), other, LogFiles.record(7, "a"));
    EncodedBatch batch = new EncodedBatch();
    byte[] value = Arrays.copyOf(Files.readAllBytes(other), 300);
    batch.put(b("log"), value);
    LogFiles.append(Options.DEFAULT.env(), second, LogFiles.record(2 * EACH + 1, batch));
    cut(second, (int) Files.size(second) - 100);
    open(defaults().toBuilder().recoveryMode(RecoveryMode.STRICT).build());
    assertThat(found()).isEqualTo(ALL);
    assertThat(db.admin().stats().recovery().droppedBytes()).isPositive();
  }

  /** As a block of a log that is stored in a second place. Its checksums are right. */
  @ParameterizedTest
  @CsvSource({"TORN_WRITES, false", "STRICT, false", "POINT_IN_TIME, true", "CPP_COMPAT, true"})
  void open_recordStoredTwice_givesWhatTheModeSays(RecoveryMode mode, boolean opens)
      throws IOException {
    makeLogs(false);
    EncodedBatch batch = new EncodedBatch();
    batch.put(b(key(25)), b(value(25)));
    LogFiles.append(Options.DEFAULT.env(), second, LogFiles.record(26, batch));
    Options with = defaults().toBuilder().recoveryMode(mode).build();
    if (!opens) {
      expectRefusal(with, second);
      return;
    }
    open(with);
    assertThat(found()).isEqualTo(ALL);
    DBStats.Recovery report = db.admin().stats().recovery();
    assertThat(report.droppedBytes()).isPositive();
    assertThat(report.reason()).contains("sequence number 26 follows 40", ".log, offset ");
    reopen();
    assertThat(found()).isEqualTo(ALL);
  }

  @Test
  void open_compatRecordsInAnotherOrder_takesEachOnce() throws IOException {
    makeLogs(false);
    byte[][] records = new byte[EACH + 5][];
    for (int i = 0; i < records.length; i++) {
      int number = EACH + (i + EACH / 2) % EACH; // the second half, the first, five of the second
      EncodedBatch batch = new EncodedBatch();
      batch.put(b(key(number)), b(value(number)));
      records[i] = LogFiles.record(number + 1, batch);
    }
    LogFiles.write(Options.DEFAULT.env(), second, records);
    open(defaults().toBuilder().recoveryMode(RecoveryMode.CPP_COMPAT).build());
    assertThat(found()).isEqualTo(ALL);
    assertThat(db.admin().stats().recovery().records()).isEqualTo(2 * EACH);
    reopen();
    assertThat(found()).isEqualTo(ALL);
  }

  private void expectRefusal(Options with, Path file) throws IOException {
    byte[] firstBefore = Files.readAllBytes(first);
    byte[] secondBefore = Files.readAllBytes(second);
    for (boolean readOnly : new boolean[] {true, false}) {
      assertThatThrownBy(
              () -> (readOnly ? DB.openReadOnly(directory, with) : open(with)).get(b("a")))
          .isInstanceOfSatisfying(
              CorruptionException.class,
              e -> {
                assertThat(e.file()).isEqualTo(file.toString());
                assertThat(e.offset()).isNotNegative();
              })
          .hasMessageContainingAll("recoveryMode", "POINT_IN_TIME", "CPP_COMPAT", "TORN_WRITES");
    }
    assertThat(Files.readAllBytes(first)).as("nothing is touched").isEqualTo(firstBefore);
    assertThat(Files.readAllBytes(second)).as("nothing is touched").isEqualTo(secondBefore);
  }

  private static int count(String runs) {
    int count = 0;
    for (String run : runs.isEmpty() ? new String[0] : runs.split("\\+")) {
      String[] ends = run.split("-");
      count += Integer.parseInt(ends[1]) - Integer.parseInt(ends[0]) + 1;
    }
    return count;
  }
}
