package dev.kv.core.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.core.LoadsLeveldbjni;
import dev.kv.core.db.DbTestBase;
import dev.kv.event.FlushEvent;
import dev.kv.options.TableSuffix;
import dev.kv.testing.StrictMemEnv;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.fusesource.leveldbjni.JniDBFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Batches that are larger than the write buffer. */
class LargeBatchTest extends DbTestBase {
  private static final int KEYS = 6000;
  private static final int WRITE_BUFFER = 64 << 10;

  private final AtomicLong flushed = new AtomicLong();

  private static Options smallBuffer() {
    return defaults().toBuilder().writeBufferSize(WRITE_BUFFER).build();
  }

  private Options countingFlushes() {
    return smallBuffer().toBuilder()
        .monitoring(
            m ->
                m.listener(
                    event -> flushed.addAndGet(event instanceof FlushEvent f ? f.entries() : 0)))
        .build();
  }

  private static WriteBatch batch(Random random, String value) {
    WriteBatch batch = WriteBatch.create();
    for (int i = 0; i < KEYS; i++) {
      batch.put(b(key(i * 7919 % KEYS)), b(value + random.nextInt(1000)));
    }
    return batch;
  }

  @Test
  void write_batchAboveTheWriteBuffer_isFlushedWithoutAnotherWrite() {
    open(countingFlushes());
    put("before", "1");
    db.write(batch(new Random(1), "x"));
    await("the flush of the batch", () -> flushed.get() == KEYS + 1);
    assertThat(get(key(17))).startsWith("x");
    put("after", "2");
    String before = contents();
    reopen();
    assertThat(contents()).isEqualTo(before);
  }

  @Test
  @LoadsLeveldbjni
  void write_batchAboveTheWriteBuffer_isReadByCpp() throws IOException {
    open(countingFlushes().toBuilder().tables(t -> t.suffix(TableSuffix.SST)).build());
    db.write(batch(new Random(2), "x"));
    await("the flush of the batch", () -> flushed.get() == KEYS);
    db.write(batch(new Random(3), "y"));
    close();
    Random random = new Random(3);
    try (org.iq80.leveldb.DB cpp =
        JniDBFactory.factory.open(directory.toFile(), new org.iq80.leveldb.Options())) {
      for (int i = 0; i < KEYS; i++) {
        assertThat(cpp.get(b(key(i * 7919 % KEYS)))).isEqualTo(b("y" + random.nextInt(1000)));
      }
    }
  }

  @Test
  void write_severalOfThem_eachIsAppliedWholeAndInOrder() {
    open(countingFlushes());
    for (int round = 0; round < 4; round++) {
      db.write(batch(new Random(round), round + ":"));
    }
    for (int i = 0; i < KEYS; i += 100) {
      assertThat(get(key(i))).startsWith("3:");
    }
    await("the last flush", () -> flushed.get() == 4 * KEYS);
  }

  /** The batch is in a log or in a table, or half of its flush is done. */
  @ParameterizedTest
  @CsvSource({"0", "50", "100"})
  void powerLoss_afterASyncedOne_keepsAllOfIt(int percentKept) {
    Path where = Path.of("/large/db");
    StrictMemEnv env = new StrictMemEnv();
    long seed = 19;
    for (int round = 0; round < 5; round++) {
      StrictMemEnv found;
      try (DB first = DB.open(where, smallBuffer().toBuilder().env(env).build())) {
        first.put(b("small"), b("" + round));
        first.write(WriteOptions.SYNC, batch(new Random(seed), round + ":"));
        if (round % 2 == 1) {
          first.admin().flush();
        }
        found = env.crashClone(percentKept, seed + round);
      }
      env = found;
      try (DB second = DB.open(where, smallBuffer().toBuilder().env(env).build())) {
        Random random = new Random(seed);
        for (int i = 0; i < KEYS; i++) {
          byte[] expected = b(round + ":" + random.nextInt(1000));
          assertThat(second.get(b(key(i * 7919 % KEYS))))
              .as("seed %d, round %d, key %d", seed, round, i)
              .isEqualTo(expected);
        }
        assertThat(second.get(b("small"))).isEqualTo(b("" + round));
      }
    }
  }
}
