package dev.kv.core.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.ReadOptions;
import dev.kv.WriteOptions;
import dev.kv.admin.DBStats;
import dev.kv.bytes.Slice;
import dev.kv.errors.DBClosedException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Puts, gets and deletes, over the places where a value can be. */
class ReadWriteTest extends DbTestBase {

  @ParameterizedTest
  @EnumSource
  void get_emptyDatabase_findsNothing(Config config) {
    open(config.options());
    assertThat(get("foo")).isEqualTo(NOT_FOUND);
  }

  @ParameterizedTest
  @EnumSource
  void put_emptyKey_isAKeyLikeOthers(Config config) {
    open(config.options());
    put("", "v1");
    assertThat(get("")).isEqualTo("v1");
    put("", "v2");
    assertThat(get("")).isEqualTo("v2");
    reopen();
    assertThat(get("")).isEqualTo("v2");
    db.admin().flush();
    assertThat(get("")).isEqualTo("v2");
  }

  @ParameterizedTest
  @EnumSource
  void put_emptyValue_isNotAbsence(Config config) {
    open(config.options());
    put("key", "v1");
    put("key", "");
    assertThat(get("key")).isEmpty();
    put("key", "v2");
    assertThat(get("key")).isEqualTo("v2");
    put("key", "");
    db.admin().flush();
    assertThat(get("key")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void put_overwritten_showsTheLast(Config config) {
    open(config.options());
    put("foo", "v1");
    assertThat(get("foo")).isEqualTo("v1");
    put("bar", "v2");
    put("foo", "v3");
    assertThat(get("foo")).isEqualTo("v3");
    assertThat(get("bar")).isEqualTo("v2");
  }

  @ParameterizedTest
  @EnumSource
  void delete_afterPut_hidesTheValue(Config config) {
    open(config.options());
    put("foo", "v1");
    put("foo", "v2");
    assertThat(get("foo")).isEqualTo("v2");
    delete("foo");
    assertThat(get("foo")).isEqualTo(NOT_FOUND);
    db.admin().flush();
    assertThat(get("foo")).isEqualTo(NOT_FOUND);
  }

  @ParameterizedTest
  @EnumSource
  void get_fromTables_findsTheValue(Config config) {
    open(config.options());
    put("foo", "v1");
    db.admin().flush();
    assertThat(get("foo")).isEqualTo("v1");
    assertThat(totalFiles()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void get_severalLevelZeroTables_findsTheNewest(Config config) {
    open(config.options());
    put("bar", "b");
    put("foo", "v1");
    db.admin().flush();
    put("foo", "v2");
    db.admin().flush();
    assertThat(get("foo")).isEqualTo("v2");
  }

  @ParameterizedTest
  @EnumSource
  void get_severalLevels_findsTheNewest(Config config) {
    open(config.options());
    put("foo", "v1");
    compact("a", "z");
    assertThat(get("foo")).isEqualTo("v1");
    put("foo", "v2");
    assertThat(get("foo")).isEqualTo("v2");
    db.admin().flush();
    assertThat(get("foo")).isEqualTo("v2");
  }

  @ParameterizedTest
  @EnumSource
  void get_severalTablesInALevel_looksIntoTheRightOne(Config config) {
    open(config.options());
    put("a", "va");
    compact("a", "b");
    put("x", "vx");
    compact("x", "y");
    put("f", "vf");
    compact("f", "g");
    assertThat(get("a")).isEqualTo("va");
    assertThat(get("f")).isEqualTo("vf");
    assertThat(get("x")).isEqualTo("vx");
    assertThat(get("g")).isEqualTo(NOT_FOUND);
  }

  @ParameterizedTest
  @EnumSource
  void get_emptyLevelBetween_compactsNothingInVain(Config config) {
    open(config.options());
    int flushes = 0;
    while (filesAt(0) == 0 || filesAt(2) == 0) {
      assertThat(flushes++).as("flushes until levels 0 and 2 have tables").isLessThan(100);
      put("a", "begin");
      put("z", "end");
      db.admin().flush();
    }
    compactLevel(1, null, null);
    assertThat(filesPerLevel()).isEqualTo("1,0,1");
    for (int i = 0; i < 1000; i++) {
      assertThat(get("missing")).isEqualTo(NOT_FOUND);
    }
    await("the seek compaction", () -> filesAt(0) == 0);
  }

  @Test
  void property_memoryUsage_growsWithTheMemtable() {
    open();
    long before = memoryUsage();
    assertThat(before).isGreaterThanOrEqualTo(0);
    put("foo", "v1".repeat(2000));
    assertThat(memoryUsage()).isBetween(before + 4000, before + (5 << 20));
  }

  private long memoryUsage() {
    return Long.parseLong(db.admin().property("leveldb.approximate-memory-usage"));
  }

  @Test
  void put_largeAndSmall_allReadBack() {
    open(defaults().toBuilder().writeBufferSize(256 << 10).build());
    Random random = new Random(301);
    String[] values = new String[60];
    for (int i = 0; i < values.length; i++) {
      values[i] = randomValue(random, i % 10 == 0 ? 300_000 : random.nextInt(2000));
      put(key(i), values[i]);
    }
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < values.length; i++) {
        assertThat(get(key(i))).isEqualTo(values[i]);
      }
      reopen();
    }
  }

  @Test
  void get_intoBuffer_copiesWhatFitsAndTellsTheLength() {
    open();
    put("foo", "0123456789");
    for (boolean flushed : new boolean[] {false, true}) {
      if (flushed) {
        db.admin().flush();
      }
      for (boolean direct : new boolean[] {false, true}) {
        ByteBuffer into = direct ? ByteBuffer.allocateDirect(16) : ByteBuffer.allocate(16);
        ByteBuffer key = ByteBuffer.wrap(b("xfoox"), 1, 3);
        assertThat(db.get(ReadOptions.DEFAULT, key, into.position(2))).isEqualTo(10);
        assertThat(key.remaining()).isEqualTo(3);
        assertThat(into.position()).isEqualTo(12);
        byte[] got = new byte[10];
        into.get(2, got);
        assertThat(s(got)).isEqualTo("0123456789");
        into.position(12);
        assertThat(db.get(ReadOptions.DEFAULT, key, into)).isEqualTo(10);
        assertThat(into.remaining()).isZero();
        assertThat(db.get(ReadOptions.DEFAULT, ByteBuffer.wrap(b("none")), into))
            .isEqualTo(DB.NOT_FOUND);
      }
    }
  }

  @Test
  void read_lendsTheValue_onlyWhileTheReaderRuns() {
    open();
    put("foo", "value");
    for (boolean flushed : new boolean[] {false, true}) {
      if (flushed) {
        db.admin().flush();
      }
      Slice[] kept = new Slice[1];
      String text =
          db.read(
              ReadOptions.DEFAULT,
              b("foo"),
              value -> {
                kept[0] = value;
                return value.toUtf8String();
              });
      assertThat(text).isEqualTo("value");
      assertThatThrownBy(() -> kept[0].byteAt(0)).isInstanceOf(IllegalStateException.class);
      assertThat(db.<String>read(ReadOptions.DEFAULT, b("none"), Slice::toUtf8String)).isNull();
      assertThatThrownBy(
              () ->
                  db.read(
                      ReadOptions.DEFAULT,
                      b("foo"),
                      value -> {
                        throw new UnsupportedOperationException("mine");
                      }))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessage("mine");
    }
  }

  @Test
  void put_buffers_takesTheRemainingBytesAndKeepsPositions() {
    open();
    ByteBuffer key = ByteBuffer.wrap(b("-key-"), 1, 3);
    ByteBuffer value = ByteBuffer.allocateDirect(8).put(b("..value.")).position(2).limit(7);
    db.put(WriteOptions.SYNC, key, value);
    assertThat(key.position()).isEqualTo(1);
    assertThat(value.position()).isEqualTo(2);
    assertThat(get("key")).isEqualTo("value");
    db.delete(WriteOptions.DEFAULT, key);
    assertThat(get("key")).isEqualTo(NOT_FOUND);
  }

  @Test
  void batch_largerThanTheWriteBuffer_isWrittenWhole() {
    open(defaults().toBuilder().writeBufferSize(64 << 10).build());
    byte[] value = new byte[50_000];
    Arrays.fill(value, (byte) 'x');
    var batch = batch();
    for (int i = 0; i < 20; i++) {
      batch.put(b(key(i)), value);
    }
    db.write(batch);
    for (int i = 0; i < 20; i++) {
      assertThat(db.get(b(key(i)))).isEqualTo(value);
    }
    reopen();
    assertThat(db.get(b(key(19)))).isEqualTo(value);
  }

  @Test
  void close_twiceAndThenUse_throwsClosed() {
    open();
    put("foo", "v1");
    db.close();
    db.close();
    assertThatThrownBy(() -> get("foo")).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(() -> put("foo", "v2")).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(() -> delete("foo")).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(() -> db.iterator()).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(() -> db.snapshot()).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(() -> db.admin().flush()).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(() -> db.admin().stats()).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(() -> db.admin().property("leveldb.stats"))
        .isInstanceOf(DBClosedException.class);
    assertThatThrownBy(() -> db.admin().compactRange(null, null))
        .isInstanceOf(DBClosedException.class);
    assertThatThrownBy(() -> db.admin().suspendCompactions()).isInstanceOf(DBClosedException.class);
  }

  @Test
  void stats_afterAFlush_tellWhatItWrote() {
    open();
    long before = 0;
    for (int i = 0; i < 50; i++) {
      put("foo", "v" + i);
      db.admin().flush();
      long written = written();
      assertThat(written).as("flush %d", i).isGreaterThan(before);
      before = written;
    }
  }

  private long written() {
    return db.admin().stats().levels().stream()
        .mapToLong(DBStats.Level::compactionBytesWritten)
        .sum();
  }

  @Test
  void property_unknownNames_areAbsent() {
    open();
    put("foo", "v1");
    db.admin().flush();
    assertThat(db.admin().property("leveldb.num-files-at-level7")).isNull();
    assertThat(db.admin().property("leveldb.num-files-at-level")).isNull();
    assertThat(db.admin().property("leveldb.num-files-at-level1x")).isNull();
    assertThat(db.admin().property("leveldb.nothing")).isNull();
    assertThat(db.admin().property("stats")).isNull();
    assertThat(db.admin().property("leveldb.sstables"))
        .contains("--- level 2 ---\n")
        .contains("'foo' @ 1 : 1 .. 'foo' @ 1 : 1]");
    assertThat(db.admin().property("leveldb.stats"))
        .matches(
            "                               Compactions\n"
                + "Level  Files Size\\(MB\\) Time\\(sec\\) Read\\(MB\\) Write\\(MB\\)\n"
                + "--------------------------------------------------\n"
                + "  2        1        0 [ 0-9]{9}        0         0\n");
  }
}
