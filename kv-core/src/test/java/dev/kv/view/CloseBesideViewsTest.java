package dev.kv.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.KeyValueStore;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.env.Env;
import dev.kv.errors.ConflictException;
import dev.kv.errors.DBClosedException;
import dev.kv.options.CompressionType;
import dev.kv.space.Space;
import dev.kv.ttl.TimeToLive;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** A close of the database while other threads read through views, in the middle of a copy. */
class CloseBesideViewsTest {
  private static final int ROUNDS = 15;
  private static final int ENTRIES = 4;
  private static final byte[] LARGE = new byte[1 << 20];

  static {
    Arrays.fill(LARGE, (byte) 7);
  }

  private volatile CountDownLatch reading = new CountDownLatch(1);

  @Test
  void reads_endWithTheirBytesOrWithAClosedDatabase() throws Exception {
    Random random = new Random(1);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        DB db = DB.open(Path.of("/db"), options());
        reading = new CountDownLatch(1);
        List<Future<Void>> ends = new ArrayList<>();
        for (Callable<Void> reads : readers(db)) {
          ends.add(threads.submit(reads));
        }
        reading.await();
        long until = System.nanoTime() + random.nextInt(3_000_000);
        while (System.nanoTime() < until) {
          Thread.onSpinWait();
        }
        db.close();
        for (Future<Void> end : ends) {
          try {
            end.get();
          } catch (ExecutionException e) {
            assertThat(e).as("round %s", round).hasCauseInstanceOf(DBClosedException.class);
          }
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static Options options() {
    return Options.builder()
        .createIfMissing(true)
        .env(Env.inMemory())
        .compression(CompressionType.NONE)
        .writeBufferSize(64 << 20)
        .build();
  }

  private List<Callable<Void>> readers(DB db) {
    TimeToLive withTime = TimeToLive.of(Space.of(db, "time"), Duration.ofDays(1));
    KeyValueStore space = Space.of(db, "space");
    for (int i = 0; i < ENTRIES; i++) {
      withTime.put(b("key" + i), LARGE);
      db.put(b("x" + i), LARGE);
    }
    space.put(LARGE, b("value"));
    return List.of(
        () -> readValues(withTime), () -> readKeys(space), () -> move(withTime), () -> commit(db));
  }

  private Void readValues(KeyValueStore store) {
    while (true) {
      try (DBIterator cursor = store.iterator()) {
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
          assertThat(cursor.value()).isEqualTo(LARGE);
        }
      }
      reading.countDown();
    }
  }

  private Void readKeys(KeyValueStore store) {
    while (true) {
      try (DBIterator cursor = store.iterator()) {
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
          assertThat(cursor.key()).isEqualTo(LARGE);
        }
      }
      reading.countDown();
    }
  }

  private Void move(KeyValueStore store) {
    while (true) {
      try (DBIterator cursor = store.iterator()) {
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
          reading.countDown();
        }
      }
    }
  }

  /** A range that was read is compared whole if content has changed outside the log. */
  private Void commit(DB db) {
    while (true) {
      try (Transaction transaction = db.transaction(TransactionOptions.SERIALIZABLE)) {
        try (DBIterator cursor = transaction.iterator(ReadOptions.withPrefix(b("x")))) {
          cursor.seekToFirst();
          while (cursor.isValid()) {
            cursor.next();
          }
        }
        db.deleteRange(b("y"), b("z"));
        db.put(b("y1"), b("1"));
        transaction.put(b("q"), b("1"));
        transaction.commit();
      } catch (ConflictException e) {
        continue;
      }
      reading.countDown();
    }
  }

  private static byte[] b(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
