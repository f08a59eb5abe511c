package dev.kv.core.soak;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * The load and its model. Each key has a version, which determines its value, or that it is
 * deleted. A writer owns its keys: it announces a version, writes it, and acknowledges it. If
 * version {@code a} was acknowledged before a read, and version {@code b} was announced after it,
 * then the read must return one of the versions from a to b. A thread that needs a moment without
 * running calls (to take a snapshot with a copy of the model, or to reopen) takes {@code moment}
 * for writing. All others hold it for reading.
 */
final class Soak {
  private static final int KEYS = 20_000;
  private static final int WRITERS = 2;
  private static final int READERS = 2;
  private static final int MAX_VALUE = 2000;
  private static final int SCAN = 200;

  private final Path directory;
  private final long seed;
  private final long pauseMicros;
  private final AtomicLongArray announced = new AtomicLongArray(KEYS);
  private final AtomicLongArray acknowledged = new AtomicLongArray(KEYS);
  private final ReentrantReadWriteLock moment = new ReentrantReadWriteLock(true);
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final AtomicLong writes = new AtomicLong();
  private final AtomicLong reads = new AtomicLong();
  private final AtomicLong views = new AtomicLong();
  private final List<Held> held = new ArrayList<>();
  private volatile boolean stop;
  private volatile DB db;
  private int reopens;

  /** A step that a thread repeats until the end of the run. */
  private interface Step {
    void run(Random random) throws Exception;
  }

  /**
   * Creates the database.
   *
   * @param pauseMicros the pause of each thread between two steps, in microseconds
   */
  Soak(Path directory, long seed, long pauseMicros) {
    this.directory = directory;
    this.seed = seed;
    this.pauseMicros = pauseMicros;
    db = DB.open(directory, options(0));
  }

  /**
   * Runs the load, and reopens and reports in even intervals. Throws if anything went wrong. The
   * load is paced, so its pauses are times and not conditions.
   */
  void run(long seconds, long reopenSeconds, long reportSeconds) throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      int own = i;
      threads.add(start("writer", i, random -> write(random, own)));
    }
    for (int i = 0; i < READERS; i++) {
      threads.add(start("reader", i, this::read));
    }
    threads.add(start("viewer", 0, this::view));
    threads.add(start("compactor", 0, this::compact));
    System.out.println("seconds writes reads views reopens " + Held.HEADING);
    long begin = System.nanoTime();
    for (long second = 1; second <= seconds && failure.get() == null; second++) {
      sleepUntil(begin + TimeUnit.SECONDS.toNanos(second));
      if (second % reopenSeconds == 0) {
        reopen();
      }
      if (second % reportSeconds == 0) {
        report(second);
      }
    }
    stop = true;
    for (Thread thread : threads) {
      thread.join();
    }
    Throwable found = failure.get();
    if (found == null) {
      compareAll(db, ReadOptions.DEFAULT, model());
    }
    db.close();
    if (found != null) {
      throw new AssertionError("seed " + seed, found);
    }
  }

  /** Returns the reports, oldest first. */
  List<Held> held() {
    return List.copyOf(held);
  }

  private static void sleepUntil(long nanoTime) {
    for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private void report(long second) throws IOException {
    moment.readLock().lock();
    try {
      Held now = Held.now(db.admin().stats());
      held.add(now);
      System.out.println(
          second + " " + writes + " " + reads + " " + views + " " + reopens + " " + now);
    } finally {
      moment.readLock().unlock();
    }
  }

  private Thread start(String name, int number, Step step) {
    Random random = new Random(seed * 31 + name.hashCode() + number);
    Thread thread = new Thread(() -> loop(step, random), "soak-" + name + "-" + number);
    thread.start();
    return thread;
  }

  private void loop(Step step, Random random) {
    try {
      while (!stop && failure.get() == null) {
        step.run(random);
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(pauseMicros));
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
  }

  /** Returns options that differ for each open, so that each open reads the files of others. */
  private Options options(int round) {
    return Options.builder()
        .createIfMissing(true)
        .writeBufferSize(1 << 20)
        .maxFileSize(256 << 10)
        .maxOpenFiles(round % 3 == 0 ? 74 : 1000)
        .blockCacheSize(round % 4 == 1 ? 0 : 4 << 20)
        .memory(m -> m.maxMappedTables(round % 5 == 2 ? 0 : 100))
        .reuseLogs(round % 2 == 1)
        .compression(CompressionType.values()[round % 2])
        .filterPolicy(round % 3 == 1 ? null : FilterPolicy.bloom(10))
        .compaction(c -> c.maxBackground(1 + round % 2))
        .memory(m -> m.offHeapLimit(64 << 20))
        .build();
  }

  private void write(Random random, int writer) {
    moment.readLock().lock();
    try {
      WriteBatch batch = WriteBatch.create();
      int count = random.nextInt(10) == 0 ? 1 + random.nextInt(20) : 1;
      int[] keys = new int[count];
      for (int i = 0; i < count; i++) {
        keys[i] = random.nextInt(KEYS / WRITERS) * WRITERS + writer;
        long version = announced.incrementAndGet(keys[i]);
        byte[] value = value(keys[i], version);
        if (value == null) {
          batch.delete(key(keys[i]));
        } else {
          batch.put(key(keys[i]), value);
        }
      }
      db.write(random.nextInt(500) == 0 ? WriteOptions.SYNC : WriteOptions.DEFAULT, batch);
      for (int key : keys) {
        acknowledged.incrementAndGet(key);
      }
      writes.addAndGet(count);
    } finally {
      moment.readLock().unlock();
    }
  }

  private void read(Random random) {
    moment.readLock().lock();
    try {
      if (random.nextInt(20) == 0) {
        scan(random);
      } else {
        int key = random.nextInt(KEYS);
        long first = acknowledged.get(key);
        byte[] found =
            switch (random.nextInt(3)) {
              case 0 -> db.get(key(key));
              case 1 -> db.read(ReadOptions.DEFAULT, key(key), value -> value.toByteArray());
              default -> getInto(key);
            };
        check(key, found, first, announced.get(key));
      }
      reads.incrementAndGet();
    } finally {
      moment.readLock().unlock();
    }
  }

  private byte @Nullable [] getInto(int key) {
    ByteBuffer into = ByteBuffer.allocate(MAX_VALUE + Long.BYTES);
    int length = db.get(ReadOptions.DEFAULT, ByteBuffer.wrap(key(key)), into);
    return length == DB.NOT_FOUND ? null : Arrays.copyOf(into.array(), length);
  }

  /** Scans some keys, and checks their order and their values. */
  private void scan(Random random) {
    long[] first = new long[KEYS];
    for (int i = 0; i < KEYS; i++) {
      first[i] = acknowledged.get(i);
    }
    try (DBIterator cursor = db.iterator()) {
      cursor.seek(key(random.nextInt(KEYS)));
      byte[] before = null;
      boolean forward = random.nextBoolean();
      for (int i = 0; i < SCAN && cursor.isValid(); i++) {
        byte[] key = cursor.key();
        int number = number(key);
        if (before != null && Arrays.compareUnsigned(before, key) < 0 != forward) {
          throw new AssertionError("out of order at " + number);
        }
        check(number, cursor.value(), first[number], announced.get(number));
        before = key;
        if (forward) {
          cursor.next();
        } else {
          cursor.prev();
        }
      }
    }
  }

  private static void check(int key, byte @Nullable [] found, long first, long last) {
    for (long version = first; version <= last; version++) {
      if (Arrays.equals(value(key, version), found)) {
        return;
      }
    }
    throw new AssertionError("key " + key + " has none of its versions " + first + " to " + last);
  }

  /** Takes a snapshot, and reads all of it some time later. */
  private void view(Random random) {
    Snapshot snapshot;
    DB taken;
    long[] model;
    DBIterator early;
    moment.writeLock().lock();
    try {
      taken = db;
      snapshot = taken.snapshot();
      early = taken.iterator();
      model = model();
    } finally {
      moment.writeLock().unlock();
    }
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(2000)));
    moment.readLock().lock();
    try {
      if (taken == db) {
        compareAll(taken, ReadOptions.at(snapshot), model);
        compareAll(early, model);
        views.incrementAndGet();
      }
      early.close();
      snapshot.close();
    } finally {
      moment.readLock().unlock();
    }
  }

  private void compact(Random random) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500 + random.nextInt(3000)));
    moment.readLock().lock();
    try {
      int from = random.nextInt(KEYS);
      db.admin().compactRange(key(from), key(Math.min(KEYS, from + KEYS / 10)));
    } finally {
      moment.readLock().unlock();
    }
  }

  private void reopen() {
    moment.writeLock().lock();
    try {
      db.close();
      reopens++;
      db = DB.open(directory, options(reopens));
      compareAll(db, ReadOptions.DEFAULT, model());
    } finally {
      moment.writeLock().unlock();
    }
  }

  private long[] model() {
    long[] model = new long[KEYS];
    for (int i = 0; i < KEYS; i++) {
      model[i] = acknowledged.get(i);
    }
    return model;
  }

  private static void compareAll(DB db, ReadOptions options, long[] model) {
    try (DBIterator cursor = db.iterator(options)) {
      compareAll(cursor, model);
    }
  }

  private static void compareAll(DBIterator cursor, long[] model) {
    cursor.seekToFirst();
    for (int key = 0; key < model.length; key++) {
      byte[] expected = value(key, model[key]);
      if (expected == null) {
        continue;
      }
      if (!cursor.isValid() || number(cursor.key()) != key) {
        throw new AssertionError("key " + key + " is missing, or another is there");
      }
      if (!Arrays.equals(cursor.value(), expected)) {
        throw new AssertionError("key " + key + " is not version " + model[key]);
      }
      cursor.next();
    }
    if (cursor.isValid()) {
      throw new AssertionError("key " + number(cursor.key()) + " should not be there");
    }
  }

  private static byte[] key(int number) {
    return String.format(Locale.ROOT, "%08d", number).getBytes(StandardCharsets.US_ASCII);
  }

  private static int number(byte[] key) {
    return Integer.parseInt(new String(key, StandardCharsets.US_ASCII));
  }

  /** Returns the value of a version of a key, or null if the key is deleted in it. */
  private static byte @Nullable [] value(int key, long version) {
    long mixed = (key * 0x9e3779b97f4a7c15L + version) * 0xbf58476d1ce4e5b9L;
    mixed ^= mixed >>> 32;
    if (version == 0 || (mixed & 7) == 0) {
      return null;
    }
    byte[] value = new byte[Long.BYTES + (int) ((mixed >>> 8) % MAX_VALUE & 0x7ff)];
    Arrays.fill(value, (byte) mixed);
    ByteBuffer.wrap(value).putLong(0, version);
    return value;
  }
}
