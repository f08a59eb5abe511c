package dev.kv.core.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DBIterator;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.Transaction;
import dev.kv.admin.DBStats;
import dev.kv.bytes.Slice;
import dev.kv.core.db.Config;
import dev.kv.core.db.DbTestBase;
import dev.kv.errors.DBClosedException;
import dev.kv.options.CompressionType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Lookups of several keys in one call, and reads of keys without their values. */
class GetAllTest extends DbTestBase {

  private List<String> getAll(ReadOptions options, List<String> keys) {
    return db.getAll(options, keys.stream().map(DbTestBase::b).toList()).stream()
        .map(DbTestBase::s)
        .toList();
  }

  /** Entries in the memtable, in several tables of level 0 and below, and tombstones of them. */
  private void fill(Random random) {
    for (int round = 0; round < 8; round++) {
      for (int i = 0; i < 400; i++) {
        String key = key(random.nextInt(2000));
        if (random.nextInt(4) == 0) {
          delete(key);
        } else {
          put(key, "value" + round + "." + i + "x".repeat(random.nextInt(200)));
        }
      }
      if (round == 3) {
        compact(null, null);
      } else if (round < 7) {
        db.admin().flush();
      }
    }
  }

  @Test
  void getAll_listThatSearchesForAnIndex_isIteratedOver() {
    open();
    put("a", "1");
    LinkedList<byte[]> keys =
        new LinkedList<>(List.of(b("a"), b("b"))) {
          private static final long serialVersionUID = 1L;

          @Override
          public byte[] get(int index) {
            throw new AssertionError("so many keys take time in the square of their number");
          }
        };
    assertThat(db.getAll(keys)).containsExactly(b("1"), null);
    try (Snapshot snapshot = db.snapshot();
        Transaction transaction = db.transaction()) {
      assertThat(snapshot.getAll(keys)).containsExactly(b("1"), null);
      assertThat(transaction.getAll(keys)).containsExactly(b("1"), null);
    }
  }

  @ParameterizedTest
  @EnumSource
  void getAll_anyKeys_findsWhatGetFinds(Config config) {
    long seed = Long.getLong("kv.seed", 20_261_122);
    Random random = new Random(seed);
    open(config.options().toBuilder().blockSize(1024).build());
    fill(random);
    try (Snapshot snapshot = db.snapshot()) {
      fill(random);
      for (int round = 0; round < 100; round++) {
        List<String> keys = new ArrayList<>();
        int near = random.nextInt(2000);
        for (int i = random.nextInt(60); i > 0; i--) {
          int number = random.nextBoolean() ? near + random.nextInt(30) : random.nextInt(2100);
          keys.add(random.nextInt(20) == 0 ? "" : key(number));
        }
        if (random.nextBoolean()) {
          keys.sort(null);
        }
        ReadOptions read =
            ReadOptions.builder()
                .snapshot(random.nextBoolean() ? snapshot : null)
                .fillCache(random.nextBoolean())
                .build();
        List<String> expected = keys.stream().map(key -> s(db.get(read, b(key)))).toList();
        assertThat(getAll(read, keys)).as("seed %d, %s", seed, keys).isEqualTo(expected);
      }
    }
  }

  @Test
  void getAll_edgeCases_areAnswered() {
    open();
    put("a", "1");
    put("", "empty");
    assertThat(db.getAll(List.of())).isEmpty();
    assertThat(getAll(ReadOptions.DEFAULT, List.of("a", "b", "a", "")))
        .containsExactly("1", NOT_FOUND, "1", "empty");
    List<byte[]> found = db.getAll(List.of(b("a")));
    assertThatThrownBy(() -> found.set(0, b("x")))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> db.getAll(Arrays.asList(b("a"), null)))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("key");
    assertThatThrownBy(() -> db.getAll(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("keys");
    assertThatThrownBy(() -> db.getAll(ReadOptions.withPrefix(b("a")), List.of(b("a"))))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(getAll(ReadOptions.DEFAULT, List.of("a"))).containsExactly("1");
    close();
    assertThatThrownBy(() -> db.getAll(List.of(b("a")))).isInstanceOf(DBClosedException.class);
  }

  /** Keys in one block need it once. */
  @Test
  void getAll_ofNeighbors_loadsEachBlockOnce() {
    open(defaults().toBuilder().compression(CompressionType.NONE).build());
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      put(key(i), "v".repeat(100));
      keys.add(key(i));
    }
    compact(null, null);
    DBStats.Cache before = db.admin().stats().memory().blockCache();
    assertThat(getAll(ReadOptions.UNCACHED, keys)).containsOnly("v".repeat(100));
    DBStats.Cache after = db.admin().stats().memory().blockCache();
    long lookups = after.hits() + after.misses() - before.hits() - before.misses();
    assertThat(lookups).isBetween(10L, 60L); // blocks of 4 KiB
    assertThat(after.charge()).isEqualTo(before.charge());
  }

  /** A batch writes one value to all keys; no call may show two. */
  @Test
  void getAll_besideWritesAndRangeDeletes_readsOneState() throws InterruptedException {
    open(defaults().toBuilder().writeBufferSize(64 << 10).build());
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      keys.add(key(i * 37));
    }
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread writer =
        new Thread(
            () -> {
              try {
                for (int i = 0; !stop.get(); i++) {
                  var batch = batch();
                  byte[] value = b("value" + i + "v".repeat(200));
                  keys.forEach(key -> batch.put(b(key), value));
                  db.write(batch);
                  if (i % 50 == 49) {
                    db.deletePrefix(b("key"));
                  }
                }
              } catch (Throwable e) {
                failure.set(e);
              }
            });
    writer.start();
    for (int i = 0; i < 3000 && failure.get() == null; i++) {
      assertThat(getAll(ReadOptions.DEFAULT, keys).stream().distinct()).hasSize(1);
    }
    stop.set(true);
    writer.join();
    assertThat(failure.get()).isNull();
  }

  @Test
  void keysOnly_reads_showEmptyValues() {
    open();
    put("a", "1");
    put("b", "");
    db.admin().flush();
    put("c", "3");
    ReadOptions keys = ReadOptions.KEYS;
    assertThat(s(db.get(keys, b("a")))).isEmpty();
    assertThat(s(db.get(keys, b("x")))).isEqualTo(NOT_FOUND);
    ByteBuffer into = ByteBuffer.allocate(10);
    assertThat(db.get(keys, ByteBuffer.wrap(b("c")), into)).isZero();
    assertThat(into.position()).isZero();
    assertThat(db.<Integer>read(keys, b("a"), Slice::length)).isZero();
    assertThat(getAll(keys, List.of("c", "x", "a"))).containsExactly("", NOT_FOUND, "");
    StringBuilder seen = new StringBuilder();
    db.forEach(keys, (key, value) -> seen.append(key.toUtf8String()).append(value.length()));
    db.stream(keys.toBuilder().descending(true).build())
        .forEach(entry -> seen.append(s(entry.key())).append(entry.value().length));
    assertThat(seen).hasToString("a0b0c0c0b0a0");
    try (Transaction transaction = db.transaction();
        DBIterator cursor = transaction.put(b("b"), b("own")).iterator(keys)) {
      seen.setLength(0);
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        seen.append(s(cursor.key())).append(cursor.value().length);
        seen.append(cursor.valueSlice().length());
      }
      assertThat(seen).hasToString("a00b00c00");
    }
    assertThat(keys).hasToString("ReadOptions[keysOnly=true]");
    assertThat(ReadOptions.UNCACHED).hasToString("ReadOptions[fillCache=false]");
  }
}
