package dev.kv.core.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.core.Sneaky;
import dev.kv.core.db.DbTestBase;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBClosedException;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A scan by {@code forEach} shows what a cursor shows, in every shape of the tree. */
class ForEachTest extends DbTestBase {
  private static final int ROUNDS = Boolean.getBoolean("kv.long") ? 60 : 20;

  private static final DBComparator REVERSE =
      new DBComparator() {
        @Override
        public String name() {
          return "test.Reverse";
        }

        @Override
        public int compare(Slice a, Slice b) {
          return Comparator.<Slice>reverseOrder().compare(a, b);
        }
      };

  private static Options.Builder smallBlocks() {
    return defaults().toBuilder().blockSize(1024).compression(CompressionType.NONE);
  }

  private static List<String> byForEach(DB db, ReadOptions read) {
    List<String> entries = new ArrayList<>();
    db.forEach(read, (key, value) -> entries.add(s(key.toByteArray()) + "=" + value.length()));
    return entries;
  }

  private static List<String> byCursor(DB db, ReadOptions read) {
    List<String> entries = new ArrayList<>();
    try (DBIterator cursor = db.iterator(read)) {
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        entries.add(s(cursor.key()) + "=" + cursor.value().length);
      }
    }
    return entries;
  }

  /** Keys of several lengths of which many are prefixes of others. */
  private static String randomKey(Random random) {
    String key = "k" + random.nextInt(300);
    return random.nextInt(4) == 0 ? key + "\0".repeat(random.nextInt(3)) : key;
  }

  private static ReadOptions randomRead(Random random, List<Snapshot> snapshots) {
    ReadOptions.Builder read = ReadOptions.builder().keysOnly(random.nextInt(4) == 0);
    if (random.nextBoolean()) {
      read.lowerBound(b(randomKey(random)));
    }
    if (random.nextBoolean()) {
      read.upperBound(b(randomKey(random)));
    }
    if (random.nextBoolean() && !snapshots.isEmpty()) {
      read.snapshot(snapshots.get(random.nextInt(snapshots.size())));
    }
    return read.build();
  }

  private void change(Random random, List<Snapshot> snapshots) {
    switch (random.nextInt(60)) {
      case 0 -> db.admin().flush();
      case 1 -> compact(null, null);
      case 2 -> snapshots.add(db.snapshot());
      case 3, 4, 5, 6, 7, 8, 9, 10 -> delete(randomKey(random));
      default -> put(randomKey(random), "v".repeat(random.nextInt(60)));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 16})
  void forEach_randomTree_showsWhatACursorShows(int interval) {
    long seed = 19_000 + interval;
    Random random = new Random(seed);
    open(smallBlocks().blockRestartInterval(interval).build());
    List<Snapshot> snapshots = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < 100; i++) {
        change(random, snapshots);
      }
      if (round % 2 == 0) {
        compact(null, null);
      }
      for (int i = 0; i < 8; i++) {
        ReadOptions read = randomRead(random, snapshots);
        assertThat(byForEach(db, read))
            .as("seed %d, round %d, %s", seed, round, read)
            .isEqualTo(byCursor(db, read));
      }
    }
    snapshots.forEach(Snapshot::close);
  }

  @Test
  void forEach_orderOfAProgram_showsWhatACursorShows() {
    open(smallBlocks().comparator(REVERSE).build());
    for (int i = 0; i < 500; i++) {
      put(key(i), "v");
    }
    compact(null, null);
    ReadOptions read = ReadOptions.builder().upperBound(b(key(100))).build();
    assertThat(byForEach(db, read)).hasSize(399).isEqualTo(byCursor(db, read));
  }

  private void fillAndCompact() {
    open(smallBlocks().build());
    for (int i = 0; i < 500; i++) {
      put(key(i), "v");
    }
    compact(null, null);
  }

  @Test
  void forEach_actionClosesTheDatabase_endsWithDBClosedException() {
    fillAndCompact();
    List<String> seen = new ArrayList<>();
    DB open = db;
    assertThatThrownBy(
            () ->
                open.forEach(
                    ReadOptions.DEFAULT,
                    (key, value) -> {
                      seen.add(key.toUtf8String());
                      if (seen.size() == 20) {
                        open.close();
                        assertThat(key.toUtf8String()).isEqualTo(key(19));
                      }
                    }))
        .isInstanceOf(DBClosedException.class);
    assertThat(seen).hasSize(20);
  }

  @Test
  void forEach_actionThrowsInTheMiddle_throwsThatAndReleasesItsPins() {
    fillAndCompact();
    CorruptionException failure = new CorruptionException("of another database", "x", 1);
    int[] calls = {0};
    assertThatThrownBy(
            () ->
                db.forEach(
                    ReadOptions.DEFAULT,
                    (key, value) -> {
                      if (++calls[0] == 30) {
                        throw failure;
                      }
                    }))
        .isSameAs(failure);
    assertThat(db.admin().stats().views().iterators()).isZero();
    assertThat(byForEach(db, ReadOptions.DEFAULT)).hasSize(500);
  }

  /** Actions in Kotlin and Scala may throw checked exceptions. */
  @Test
  void forEach_actionThrowsACheckedException_pinsNothing() {
    open();
    put("a", "1");
    assertThatThrownBy(
            () ->
                db.forEach(
                    ReadOptions.DEFAULT,
                    (key, value) -> {
                      throw Sneaky.unchecked(new IOException("disk"));
                    }))
        .isInstanceOf(IOException.class);
    assertThat(db.admin().stats().views().iterators()).isZero();
  }
}
