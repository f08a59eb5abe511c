package dev.kv.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.db.HookedEnv;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.options.CompressionType;
import dev.kv.options.RecoveryMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a database does with damaged files that its log recovery and its tables are made of. What a
 * damaged block holds is not there to be had, and to leave it out would show older values: a read
 * of it throws, and everything else is as it was.
 */
class CorruptionTest extends DbTestBase {
  private static final int VALUE_LENGTH = 1000;

  private static String numbered(int i) {
    return String.format(Locale.ROOT, "%016d", i);
  }

  /** The value of a number: random, so that it does not compress. */
  private static String valueOf(int i) {
    return randomValue(new Random(i), VALUE_LENGTH);
  }

  private void build(int count) {
    for (int i = 0; i < count; i++) {
      put(numbered(i), valueOf(i));
    }
  }

  /** Flips a bit in each of {@code count} bytes, from the end where {@code offset} is negative. */
  private void damage(FileName.Kind kind, int offset, int count) throws IOException {
    List<String> names = files(kind);
    names.sort(Comparator.comparingLong(name -> FileNames.parse(name).number()));
    Path file = directory.resolve(names.get(names.size() - 1));
    byte[] bytes = Files.readAllBytes(file);
    int from = offset < 0 ? Math.max(0, bytes.length + offset) : offset;
    for (int i = from; i < Math.min(bytes.length, from + count); i++) {
      bytes[i] ^= (byte) 0x80;
    }
    Files.write(file, bytes);
  }

  /** Returns the numbers whose values are read; a read that fails names a damaged table. */
  private List<Integer> readable(int count) {
    List<Integer> readable = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      try {
        String value = get(numbered(i));
        if (!value.equals(NOT_FOUND)) {
          assertThat(value).isEqualTo(valueOf(i));
          readable.add(i);
        }
      } catch (CorruptionException e) {
        assertThat(e.file()).endsWith(".ldb");
      }
    }
    return readable;
  }

  @Test
  void open_damagedLogRecords_costTheirBlocksUnderTheCompatibleMode() throws IOException {
    open();
    build(100);
    assertThat(readable(100)).hasSize(100);
    close();
    damage(FileName.Kind.LOG, 19, 1);
    damage(FileName.Kind.LOG, 32768 + 1000, 1);
    assertThatThrownBy(this::open).isInstanceOf(CorruptionException.class);
    open(defaults().toBuilder().recoveryMode(RecoveryMode.CPP_COMPAT).build());
    List<Integer> rest = readable(100);
    // The first two blocks hold 63 records and the beginning of another.
    assertThat(rest).hasSize(36).startsWith(64).endsWith(99);
    assertThat(db.admin().stats().recovery().droppedBytes()).isBetween(65_536L, 67_000L);
    assertThat(db.admin().stats().recovery().records()).isEqualTo(36);
  }

  @Test
  void read_ofExchangedTablesOfOneSize_isCorruptionAndRepairable() throws IOException {
    options = defaults().toBuilder().compression(CompressionType.NONE).build();
    open();
    for (int from = 0; from < 40; from += 20) {
      for (int i = from; i < from + 20; i++) {
        put(numbered(i), valueOf(i));
      }
      db.admin().flush();
    }
    close();
    List<String> tables = files(FileName.Kind.TABLE);
    assertThat(tables).hasSize(2);
    Path one = directory.resolve(tables.get(0));
    Path other = directory.resolve(tables.get(1));
    assertThat(one).hasSize(Files.size(other));
    Path aside = directory.resolveSibling("aside");
    Files.move(one, aside);
    Files.move(other, one);
    Files.move(aside, other);

    open();
    assertThat(readable(40)).isEmpty();
    for (int i : List.of(0, 39)) {
      assertThatThrownBy(() -> get(numbered(i)))
          .isInstanceOfSatisfying(
              CorruptionException.class,
              e -> {
                assertThat(e.file()).endsWith(".ldb");
                assertThat(e.offset()).isPositive();
              })
          .hasMessageContaining("the table does not match the MANIFEST")
          .hasMessageContaining("DB.repair");
    }
    try (DBIterator iterator = db.iterator()) {
      assertThatThrownBy(iterator::seekToFirst).isInstanceOf(CorruptionException.class);
      assertThatThrownBy(iterator::seekToLast).isInstanceOf(CorruptionException.class);
    }
    close();

    DB.repair(directory, options);
    open();
    assertThat(readable(40)).hasSize(40);
  }

  @Test
  void open_fileThatCannotBeCreated_fails() {
    HookedEnv env = new HookedEnv(Env.fileSystem());
    env.nonWritable = true;
    Options hooked = defaults().toBuilder().env(env).build();
    assertThatThrownBy(() -> open(hooked)).isInstanceOf(DBIOException.class);
    assertThat(env.refused.get()).isPositive();
    env.nonWritable = false;
    open(hooked);
    put("foo", "v");
    close();
    env.nonWritable = true;
    assertThatThrownBy(() -> open(hooked)).isInstanceOf(DBIOException.class);
    env.nonWritable = false;
    open(hooked);
    assertThat(get("foo")).isEqualTo("v");
  }

  @Test
  void put_fileThatCannotBeCreated_failsAWriteAndAReopenFindsTheRest() {
    HookedEnv env = new HookedEnv(Env.fileSystem());
    open(defaults().toBuilder().env(env).writeBufferSize(64 << 10).build());
    build(3);
    env.nonWritable = true;
    int written = 3;
    DBException failure = null;
    while (failure == null) {
      assertThat(written).isLessThan(1000);
      try {
        put(numbered(written), valueOf(written));
        written++;
      } catch (DBException e) {
        failure = e;
      }
    }
    assertThat(failure).isInstanceOfAny(DBIOException.class, DBReadOnlyException.class);
    assertThat(env.refused.get()).isPositive();
    env.nonWritable = false;
    reopen();
    assertThat(readable(written)).hasSize(written);
    put("more", "v");
    assertThat(get("more")).isEqualTo("v");
  }

  @Test
  void get_damagedDataBlock_costsItsEntriesAndNotTheTable() throws IOException {
    open();
    build(100);
    db.admin().flush();
    compact(null, null);
    close();
    damage(FileName.Kind.TABLE, 100, 1);
    open();
    assertThat(readable(100)).hasSizeBetween(90, 99).doesNotContain(0);
    assertThatThrownBy(() -> get(numbered(0)))
        .isInstanceOfSatisfying(
            CorruptionException.class, e -> assertThat(e.offset()).isNotNegative());
    try (var cursor = db.iterator()) {
      assertThatThrownBy(cursor::seekToFirst).isInstanceOf(CorruptionException.class);
      int found = 0;
      for (cursor.seek(b(numbered(10))); cursor.isValid(); cursor.next()) {
        assertThat(s(cursor.value())).isEqualTo(valueOf(10 + found));
        found++;
      }
      assertThat(found).isEqualTo(90);
    }
  }

  @Test
  void get_damagedIndex_costsTheTableAndNotTheOthers() throws IOException {
    open(defaults().toBuilder().maxFileSize(1 << 20).build());
    build(4000);
    db.admin().flush();
    compact(null, null);
    assertThat(totalFiles()).isGreaterThan(2);
    close();
    damage(FileName.Kind.TABLE, -2000, 500);
    open();
    List<Integer> rest = readable(4000);
    assertThat(rest).hasSizeBetween(2500, 3999).contains(0);
    assertThatThrownBy(() -> get(numbered(3999))).isInstanceOf(CorruptionException.class);
  }

  @Test
  void repair_afterOverwrites_findsTheLastSequenceSoThatLaterWritesWin() {
    open();
    for (int i = 1; i <= 5; i++) {
      put("foo", "v" + i);
    }
    long last = db.admin().stats().writes().lastSequence();
    close();
    DB.repair(directory, options);
    open();
    assertThat(get("foo")).isEqualTo("v5");
    assertThat(db.admin().stats().writes().lastSequence()).isEqualTo(last);
    put("foo", "v6");
    assertThat(get("foo")).isEqualTo("v6");
    reopen();
    assertThat(get("foo")).isEqualTo("v6");
    db.admin().flush();
    assertThat(get("foo")).isEqualTo("v6");
  }

  @Test
  void open_damagedManifest_failsAndRepairBringsTheDataBack() throws IOException {
    open();
    put("foo", "hello");
    compact(null, null);
    close();
    damage(FileName.Kind.MANIFEST, 0, 1000);
    assertThatThrownBy(this::open)
        .isInstanceOfSatisfying(
            CorruptionException.class, e -> assertThat(e.file()).contains("MANIFEST-"));
    DB.repair(directory, options);
    open();
    assertThat(get("foo")).isEqualTo("hello");
  }

  /** Makes a table of the same keys in each of the levels 2, 1 and 0, and damages one of them. */
  private void damageLevel(int level, Options with) throws IOException {
    open(with);
    for (int i = 0; i <= DEEPEST_FLUSH; i++) {
      build(30);
      put(numbered(99_999), "end");
      db.admin().flush();
    }
    assertThat(filesPerLevel()).isEqualTo("1,1,1");
    close();
    Path table =
        FileNames.table(directory, number(files(FileName.Kind.TABLE).get(DEEPEST_FLUSH - level)));
    byte[] bytes = Files.readAllBytes(table);
    bytes[100] ^= 1;
    Files.write(table, bytes);
    open(with);
  }

  private static long number(String name) {
    return FileNames.parse(name).number();
  }

  /** Overwrites keys all over the range, so that every table of level 0 overlaps every other. */
  private void scatter(int count) {
    for (int i = 0; i < count; i++) {
      int number = (int) (i * 7919L % count);
      put(numbered(number), valueOf(number));
    }
  }

  private static Options small() {
    return defaults().toBuilder().writeBufferSize(64 << 10).maxFileSize(1 << 20).build();
  }

  /**
   * Level 0 cannot shrink where what it lies over cannot be read: writers do not wait for that for
   * ever.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void compaction_overADamagedTable_leavesItAndTheDatabaseGoesOn(int level) throws IOException {
    damageLevel(level, small());
    scatter(1500);
    assertThat(readable(1500)).hasSize(1500);
    if (level < DEEPEST_FLUSH) {
      assertThat(filesAt(0)).as(filesPerLevel()).isGreaterThan(12);
    }
    assertThatThrownBy(() -> compact(null, null))
        .isInstanceOfSatisfying(
            CorruptionException.class,
            e -> {
              assertThat(e.file()).endsWith(".ldb");
              assertThat(e.offset()).isZero();
            });
    scatter(1500);
    assertThat(readable(1500)).hasSize(1500);
    reopen();
    assertThat(readable(1500)).hasSize(1500);
    close();
    DB.repair(directory, options);
    open();
    compact(null, null);
    assertThat(readable(1500)).hasSize(1500);
    assertThat(get(numbered(99_999))).isEqualTo("end");
  }

  /** What a damaged table hides, and what hides in it, does not come up by a compaction. */
  @Test
  void compaction_overADamagedTable_bringsNothingStaleUp() throws IOException {
    open(small());
    put(numbered(5), "stale");
    db.admin().flush();
    compact(null, null);
    build(10);
    db.admin().flush();
    assertThat(totalFiles()).isEqualTo(2);
    close();
    damage(FileName.Kind.TABLE, 100, 20_000);
    open(small());
    assertThatThrownBy(() -> get(numbered(5))).isInstanceOf(CorruptionException.class);
    assertThatThrownBy(() -> compact(null, null)).isInstanceOf(CorruptionException.class);
    assertThatThrownBy(() -> get(numbered(5))).isInstanceOf(CorruptionException.class);
    reopen();
    assertThatThrownBy(() -> get(numbered(5))).isInstanceOf(CorruptionException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void compaction_overADamagedTable_endsWritesUnderParanoidChecks(int level) throws IOException {
    damageLevel(level, small().toBuilder().recoveryMode(RecoveryMode.PARANOID).build());
    assertThatThrownBy(() -> scatter(3000))
        .isInstanceOf(DBReadOnlyException.class)
        .hasRootCauseInstanceOf(CorruptionException.class);
    assertThat(get(numbered(99_999))).isEqualTo("end");
  }

  @Test
  void writesAndReads_besideADamagedTable_areUnharmed() throws IOException {
    open();
    build(10);
    db.admin().flush();
    compact(null, null);
    close();
    damage(FileName.Kind.TABLE, 100, 1);
    open();
    put(numbered(1000), valueOf(1000));
    assertThat(get(numbered(1000))).isEqualTo(valueOf(1000));
    db.admin().flush();
    assertThat(get(numbered(1000))).isEqualTo(valueOf(1000));
  }
}
