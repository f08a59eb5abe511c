package dev.kv.core.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.WriteOptions;
import dev.kv.errors.DBClosedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Many threads on one database. */
class ConcurrencyTest extends DbTestBase {
  private static final int INTERRUPTS =
      Integer.getInteger("kv.interrupts", Boolean.getBoolean("kv.long") ? 10_000_000 : 10_000);

  /** So many interrupts at least are met by work, however slow that is. */
  private static final int MET = 100;

  private static final int THREADS = 4;
  private static final int KEYS = 1000;

  /** Something that a thread does until it is told to stop. */
  private interface Loop {
    void once(int thread, Random random);
  }

  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final AtomicLong turns = new AtomicLong();

  private List<Thread> start(int threads, boolean closedIsFine, Loop loop) {
    List<Thread> started = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int thread = i;
      Thread each =
          new Thread(
              () -> {
                Random random = new Random(1000L + thread);
                try {
                  while (!stop.get() && failure.get() == null) {
                    loop.once(thread, random);
                    turns.incrementAndGet();
                  }
                } catch (DBClosedException e) {
                  if (!closedIsFine) {
                    failure.compareAndSet(null, e);
                  }
                } catch (Throwable e) {
                  failure.compareAndSet(null, e);
                }
              });
      each.start();
      started.add(each);
    }
    return started;
  }

  private void join(List<Thread> threads) throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
    if (failure.get() != null) {
      throw new AssertionError("a thread failed", failure.get());
    }
  }

  /** Each key has one writer, which counts; a reader must see what was written before its get. */
  @ParameterizedTest
  @EnumSource(names = {"DEFAULT", "PLAIN_READS", "REUSE_LOGS"})
  void putAndGet_fromManyThreads_readersSeeWhatWasWrittenBefore(Config config)
      throws InterruptedException {
    open(config.options().toBuilder().writeBufferSize(64 << 10).build());
    AtomicIntegerArray written = new AtomicIntegerArray(KEYS);
    List<Thread> threads =
        start(
            THREADS,
            false,
            (thread, random) -> {
              int key = random.nextInt(KEYS);
              String name = String.format(Locale.ROOT, "%016d", key);
              boolean own = key % THREADS == thread;
              int before = written.get(key);
              if (own && random.nextInt(2) == 0) {
                put(name, key + "." + (before + 1) + "." + "x".repeat(100));
                written.set(key, before + 1);
              } else {
                String value = get(name);
                int found = 0;
                if (!value.equals(NOT_FOUND)) {
                  String[] parts = value.split("\\.");
                  assertThat(Integer.parseInt(parts[0])).isEqualTo(key);
                  found = Integer.parseInt(parts[1]);
                }
                // Another thread's put may be visible before it has returned
                assertThat(found).isBetween(before, written.get(key) + 1);
              }
            });
    Thread.sleep(1500);
    stop.set(true);
    join(threads);
    assertThat(turns.get()).isPositive();
  }

  /** Every batch writes one value to all its keys; no view may show two. */
  @Test
  void batches_fromManyThreads_areSeenWhole() throws InterruptedException {
    open(
        defaults().toBuilder()
            .writeBufferSize(64 << 10)
            .compaction(c -> c.maxBackground(2))
            .build());
    Set<String> seen = ConcurrentHashMap.newKeySet();
    List<Thread> threads =
        start(
            THREADS,
            false,
            (thread, random) -> {
              if (thread % 2 == 0) {
                var batch = batch();
                byte[] value = b(thread + "." + random.nextInt() + "v".repeat(50));
                for (int i = 0; i < 20; i++) {
                  batch.put(b(key(i * 37)), value);
                }
                db.write(WriteOptions.builder().sync(random.nextInt(50) == 0).build(), batch);
                put(key(random.nextInt(5000)) + "other", "w".repeat(random.nextInt(500)));
              } else {
                try (Snapshot snapshot = db.snapshot();
                    DBIterator cursor = db.iterator(ReadOptions.at(snapshot))) {
                  String first = get(key(0), snapshot);
                  for (int i = 0; i < 20; i++) {
                    assertThat(get(key(i * 37), snapshot)).isEqualTo(first);
                    cursor.seek(b(key(i * 37)));
                    assertThat(cursor.isValid() ? s(cursor.value()) : NOT_FOUND).isEqualTo(first);
                    if (first.equals(NOT_FOUND)) {
                      return;
                    }
                  }
                  seen.add(first);
                }
              }
            });
    Thread.sleep(1500);
    await("views of several batches", () -> seen.size() > 3 || failure.get() != null);
    stop.set(true);
    join(threads);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void close_whileOthersWork_endsThemWithClosedOrAResult(int round) throws InterruptedException {
    open(defaults().toBuilder().writeBufferSize(64 << 10).build());
    for (int i = 0; i < 2000; i++) {
      put(key(i), "v".repeat(200));
    }
    DB closing = db;
    List<Thread> threads =
        start(
            5,
            true,
            (thread, random) -> {
              switch (thread) {
                case 0 -> closing.put(b(key(random.nextInt(2000))), new byte[300]);
                case 1 -> closing.get(b(key(random.nextInt(2000))));
                case 2 -> {
                  try (DBIterator cursor = closing.iterator()) {
                    for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                      assertThat(cursor.key().length).isPositive();
                    }
                  }
                }
                case 3 -> closing.read(ReadOptions.DEFAULT, b(key(7)), value -> value.length());
                default -> {
                  if (random.nextInt(3) == 0) {
                    closing.admin().flush();
                  } else {
                    closing.admin().compactRange(b(key(0)), b(key(500)));
                  }
                }
              }
            });
    Thread.sleep(20 + 30L * round);
    closing.close();
    for (Thread thread : threads) {
      thread.join(60_000);
      assertThat(thread.isAlive()).isFalse();
    }
    join(threads);
    open();
    assertThat(get(key(1999))).isNotEqualTo(NOT_FOUND);
  }

  @Test
  @Timeout(value = 1, unit = TimeUnit.HOURS)
  void interrupts_duringReadsAndWrites_failNothing() throws InterruptedException {
    open(
        defaults().toBuilder().writeBufferSize(64 << 10).memory(m -> m.maxMappedTables(1)).build());
    String value = "v".repeat(400);
    AtomicLong met = new AtomicLong();
    List<Thread> threads =
        start(
            3,
            false,
            (thread, random) -> {
              String key = key(random.nextInt(1000) * 3 + thread);
              db.put(
                  WriteOptions.builder().sync(random.nextInt(20) == 0).build(),
                  b(key),
                  b(key + value));
              assertThat(get(key)).isEqualTo(key + value);
              int choice = random.nextInt(400);
              if (choice < 4) {
                db.admin().flush();
              } else if (choice == 4) {
                compact(null, key);
              } else if (choice < 40) {
                walk(key, value);
              }
              if (Thread.interrupted()) {
                met.incrementAndGet();
              }
            });
    for (int i = 0; (i < INTERRUPTS || met.get() < MET) && failure.get() == null; i++) {
      threads.get(i % 3).interrupt();
      LockSupport.parkNanos(50_000);
    }
    stop.set(true);
    join(threads);
    reopen();
    put("still", "works");
    assertThat(get("still")).isEqualTo("works");
    walk(key(0), value);
  }

  /** Goes over some entries from {@code from} on, each of which must have its own value. */
  private void walk(String from, String value) {
    try (DBIterator cursor = db.iterator()) {
      cursor.seek(b(from));
      for (int i = 0; i < 20 && cursor.isValid() && s(cursor.key()).startsWith("key"); i++) {
        assertThat(s(cursor.value())).isEqualTo(s(cursor.key()) + value);
        cursor.next();
      }
    }
  }

  @Test
  void idle_database_usesNoProcessorTime() throws InterruptedException {
    open();
    for (int i = 0; i < 1000; i++) {
      put(key(i), "v");
    }
    db.admin().flush();
    var beans = java.lang.management.ManagementFactory.getThreadMXBean();
    long used = Long.MAX_VALUE;
    // What the flush has left to be done ends at some time.
    for (int i = 0; i < 60 && used >= 20_000_000; i++) {
      long before = engineNanos(beans);
      Thread.sleep(500);
      used = engineNanos(beans) - before;
    }
    assertThat(used).isLessThan(20_000_000);
  }

  private static long engineNanos(java.lang.management.ThreadMXBean beans) {
    long sum = 0;
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("kv-")) {
        sum += Math.max(0, beans.getThreadCpuTime(thread.getId()));
      }
    }
    return sum;
  }
}
