package dev.kv.iq80;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.errors.CorruptionException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.iq80.leveldb.CompressionType;
import org.iq80.leveldb.DBComparator;
import org.iq80.leveldb.DBException;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KvIteratorTest {
  private static final int ENTRIES = 400;

  @TempDir File directory;
  private KvDB db;

  @BeforeEach
  void open() throws IOException {
    db = KvDBFactory.factory.open(directory, new Options());
  }

  @AfterEach
  void close() {
    db.close();
  }

  private void put(String... keys) {
    for (String key : keys) {
      db.put(key.getBytes(UTF_8), ("value of " + key).getBytes(UTF_8));
    }
  }

  private static String key(Map.Entry<byte[], byte[]> entry) {
    String key = new String(entry.getKey(), UTF_8);
    assertThat(new String(entry.getValue(), UTF_8)).isEqualTo("value of " + key);
    return key;
  }

  @Test
  void newIterator_standsBeforeTheFirstEntry() throws IOException {
    put("a", "b");
    try (DBIterator entries = db.iterator()) {
      assertThat(entries.hasPrev()).isFalse();
      assertThat(entries.hasNext()).isTrue();
      assertThat(key(entries.next())).isEqualTo("a");
    }
  }

  @Test
  void iteration_ofTheDatabase_showsAll() {
    put("a", "b", "c");
    List<String> keys = new ArrayList<>();
    for (Map.Entry<byte[], byte[]> entry : db) {
      keys.add(key(entry));
    }
    assertThat(keys).containsExactly("a", "b", "c");
  }

  @Test
  void emptyDatabase_hasNoNeighbours() throws IOException {
    try (DBIterator entries = db.iterator()) {
      assertThat(entries.hasNext()).isFalse();
      assertThat(entries.hasPrev()).isFalse();
      entries.seekToLast();
      assertThat(entries.hasNext()).isFalse();
      assertThat(entries.hasPrev()).isFalse();
      assertThatThrownBy(entries::next).isInstanceOf(NoSuchElementException.class);
      assertThatThrownBy(entries::peekPrev).isInstanceOf(NoSuchElementException.class);
    }
  }

  @Test
  void prev_beforeTheFirstEntry_leavesTheIteratorWhereItIs() throws IOException {
    put("a", "b");
    try (DBIterator entries = db.iterator()) {
      entries.seekToFirst();
      assertThatThrownBy(entries::prev).isInstanceOf(NoSuchElementException.class);
      assertThat(key(entries.peekNext())).isEqualTo("a");
      assertThat(key(entries.next())).isEqualTo("a");
    }
  }

  @Test
  void next_afterTheLastEntry_leavesTheIteratorWhereItIs() throws IOException {
    put("a", "b");
    try (DBIterator entries = db.iterator()) {
      entries.seek("x".getBytes(UTF_8));
      assertThatThrownBy(entries::next).isInstanceOf(NoSuchElementException.class);
      assertThat(key(entries.peekPrev())).isEqualTo("b");
      assertThat(key(entries.prev())).isEqualTo("b");
      assertThat(key(entries.prev())).isEqualTo("a");
      assertThat(entries.hasPrev()).isFalse();
    }
  }

  @Test
  void seekToLast_thenNext_isTheLastEntry() throws IOException {
    put("a", "b", "c");
    try (DBIterator entries = db.iterator()) {
      entries.seekToLast();
      assertThat(key(entries.peekPrev())).isEqualTo("b");
      assertThat(key(entries.next())).isEqualTo("c");
      assertThat(entries.hasNext()).isFalse();
    }
  }

  @Test
  void peekNext_beforeNext_isTheSameEntry() throws IOException {
    put("a");
    try (DBIterator entries = db.iterator()) {
      Map.Entry<byte[], byte[]> peeked = entries.peekNext();
      assertThat(entries.next()).isSameAs(peeked);
      assertThat(entries.prev()).isSameAs(peeked);
    }
  }

  @Test
  void movesAtRandom_agreeWithAListIterator() throws IOException {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      keys.add(String.valueOf((char) ('a' + i)));
    }
    put(keys.toArray(String[]::new));
    long seed = System.nanoTime();
    Random random = new Random(seed);
    try (DBIterator entries = db.iterator()) {
      ListIterator<String> model = keys.listIterator();
      for (int step = 0; step < 5000; step++) {
        String where = "seed " + seed + ", step " + step;
        switch (random.nextInt(8)) {
          case 0 -> assertThat(entries.hasNext()).as(where).isEqualTo(model.hasNext());
          case 1 -> assertThat(entries.hasPrev()).as(where).isEqualTo(model.hasPrevious());
          case 2, 3 -> {
            if (model.hasNext()) {
              assertThat(key(entries.next())).as(where).isEqualTo(model.next());
            } else {
              assertThatThrownBy(entries::next).isInstanceOf(NoSuchElementException.class);
            }
          }
          case 4, 5 -> {
            if (model.hasPrevious()) {
              assertThat(key(entries.prev())).as(where).isEqualTo(model.previous());
            } else {
              assertThatThrownBy(entries::prev).isInstanceOf(NoSuchElementException.class);
            }
          }
          case 6 -> {
            if (model.hasNext()) {
              String next = keys.get(model.nextIndex());
              assertThat(key(entries.peekNext())).as(where).isEqualTo(next);
            }
          }
          default -> {
            if (random.nextInt(20) == 0) {
              int to = random.nextInt(keys.size());
              entries.seek(keys.get(to).getBytes(UTF_8));
              model = keys.listIterator(to);
            } else if (model.hasPrevious()) {
              String previous = keys.get(model.previousIndex());
              assertThat(key(entries.peekPrev())).as(where).isEqualTo(previous);
            }
          }
        }
      }
    }
  }

  @Test
  void iterator_ofAClosedDatabase_throwsDBException() throws IOException {
    put("a");
    DBIterator entries = db.iterator();
    entries.seekToFirst();
    db.close();
    assertThatThrownBy(entries::hasNext).isInstanceOf(DBException.class);
    assertThatThrownBy(entries::next).isInstanceOf(DBException.class);
    assertThatThrownBy(entries::prev).isInstanceOf(DBException.class);
    assertThatThrownBy(() -> entries.seek(new byte[0])).isInstanceOf(DBException.class);
    assertThatThrownBy(entries::seekToLast).isInstanceOf(DBException.class);
    entries.close();
  }

  /** Writes entries in one table with a damaged block in its middle. */
  private void writeDamagedTable() throws IOException {
    db.close();
    Options options = new Options().compressionType(CompressionType.NONE);
    db = KvDBFactory.factory.open(directory, options);
    for (int i = 0; i < ENTRIES; i++) {
      db.put(("key" + (1000 + i)).getBytes(UTF_8), new byte[100]);
    }
    db.unwrap().admin().flush();
    db.close();
    File[] tables = directory.listFiles((parent, name) -> name.endsWith(".sst"));
    assertThat(tables).hasSize(1);
    byte[] bytes = Files.readAllBytes(tables[0].toPath());
    bytes[bytes.length / 2] ^= 1;
    Files.write(tables[0].toPath(), bytes);
    open();
  }

  private static void assertThatAllMovesFail(DBIterator entries) {
    List<ThrowingCallable> moves =
        List.of(
            entries::hasNext,
            entries::peekNext,
            entries::next,
            entries::hasPrev,
            entries::peekPrev,
            entries::prev);
    for (ThrowingCallable move : moves) {
      assertThatThrownBy(move)
          .isInstanceOf(DBException.class)
          .hasCauseInstanceOf(CorruptionException.class);
    }
  }

  private static void moveIntoTheDamage(
      DBIterator entries, BooleanSupplier hasMore, Runnable move) {
    int shown = 0;
    try {
      while (hasMore.getAsBoolean()) {
        move.run();
        shown++;
      }
    } catch (DBException e) {
      assertThat(e).hasCauseInstanceOf(CorruptionException.class);
    }
    assertThat(shown).isBetween(ENTRIES / 4, ENTRIES * 3 / 4);
    assertThatAllMovesFail(entries);
  }

  @Test
  void next_intoADamagedBlock_failsUntilASeek() throws IOException {
    writeDamagedTable();
    try (DBIterator entries = db.iterator()) {
      moveIntoTheDamage(entries, entries::hasNext, entries::next);
      entries.seekToFirst();
      assertThat(entries.hasPrev()).isFalse();
      assertThat(entries.next().getKey()).isEqualTo("key1000".getBytes(UTF_8));
    }
  }

  @Test
  void prev_intoADamagedBlock_failsUntilASeek() throws IOException {
    writeDamagedTable();
    try (DBIterator entries = db.iterator()) {
      entries.seek("x".getBytes(UTF_8));
      moveIntoTheDamage(entries, entries::hasPrev, entries::prev);
      entries.seekToLast();
      assertThat(entries.next().getKey()).isEqualTo(("key" + (999 + ENTRIES)).getBytes(UTF_8));
    }
  }

  @Test
  void seek_intoADamagedBlock_failsUntilTheNextSeek() throws IOException {
    writeDamagedTable();
    int damaged = 0;
    try (DBIterator entries = db.iterator()) {
      for (int i = 0; i < ENTRIES; i++) {
        byte[] key = ("key" + (1000 + i)).getBytes(UTF_8);
        try {
          entries.seek(key);
          assertThat(entries.peekNext().getKey()).isEqualTo(key);
        } catch (DBException e) {
          assertThatAllMovesFail(entries);
          damaged++;
        }
      }
    }
    assertThat(damaged).isPositive();
  }

  /** Bytewise, and fails on demand. */
  private static final class Failing implements DBComparator {
    private boolean fails;

    @Override
    public String name() {
      return "test.failing";
    }

    @Override
    public int compare(byte[] a, byte[] b) {
      if (fails) {
        throw new StackOverflowError();
      }
      return Arrays.compareUnsigned(a, b);
    }

    @Override
    public byte[] findShortestSeparator(byte[] start, byte[] limit) {
      return start;
    }

    @Override
    public byte[] findShortSuccessor(byte[] key) {
      return key;
    }
  }

  /** A scan that goes on must not look as if it had reached the end. */
  @Test
  void move_thatFailedWithAnError_failsUntilASeek() throws IOException {
    db.close();
    Failing order = new Failing();
    db = KvDBFactory.factory.open(new File(directory, "other"), new Options().comparator(order));
    put("a", "b");
    try (DBIterator entries = db.iterator()) {
      order.fails = true;
      List<ThrowingCallable> moves =
          List.of(() -> entries.seek(new byte[] {'a'}), entries::hasNext, entries::prev);
      for (ThrowingCallable move : moves) {
        assertThatThrownBy(move).isInstanceOf(StackOverflowError.class);
        order.fails = false;
      }
      entries.seek(new byte[] {'a'});
      assertThat(key(entries.next())).isEqualTo("a");
    }
  }

  @Test
  void seek_null_isIllegal() throws IOException {
    try (DBIterator entries = db.iterator()) {
      assertThatThrownBy(() -> entries.seek(null)).isInstanceOf(IllegalArgumentException.class);
    }
  }
}
