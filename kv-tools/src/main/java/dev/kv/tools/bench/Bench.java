package dev.kv.tools.bench;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.WriteOptions;
import dev.kv.bytes.Slice;
import dev.kv.tools.console.Cancellation;
import dev.kv.tools.console.Progress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import org.HdrHistogram.Histogram;

/** The benchmarks of a short db_bench, which run one after the other on one database. */
final class Bench implements AutoCloseable {
  /** The names of the benchmarks, as db_bench has them. */
  static final List<String> NAMES =
      List.of(
          "fillseq",
          "fillsync",
          "fillrandom",
          "overwrite",
          "readrandom",
          "readmissing",
          "readhot",
          "seekrandom",
          "readseq",
          "readreverse",
          "deleteseq",
          "deleterandom",
          "compact");

  private static final int KEY_BYTES = 16;
  private static final int SLOW_DIVISOR = 1000;
  private static final int HOT_DIVISOR = 100;

  private final Path directory;
  private final Options options;
  private final int num;
  private final int valueSize;
  private final BenchReport report;
  private final Random random;
  private final byte[] values;

  /** Where the next value begins in {@link #values}. */
  private int position;

  private DB db;

  /** Counts the entries found, so that the JIT does not remove the reads. */
  private long found;

  /** The bytes of keys and values that a benchmark read or wrote. */
  private long bytes;

  /** The sum of the bytes of the values that a scan read. */
  @SuppressWarnings("UnusedVariable") // so that the JIT does not remove the reads
  private long sum;

  Bench(Path directory, Options options, int num, int valueSize, long seed, BenchReport report) {
    this.directory = directory;
    this.options = options;
    this.num = num;
    this.valueSize = valueSize;
    this.report = report;
    random = new Random(seed);
    values = compressible(Math.max(1 << 20, 2 * valueSize));
    db = DB.open(directory, options);
  }

  /** Returns bytes that compress to about half: each random run of 50 bytes occurs twice. */
  private byte[] compressible(int length) {
    byte[] data = new byte[length];
    byte[] run = new byte[50];
    for (int at = 0; at < length; ) {
      for (int i = 0; i < run.length; i++) {
        run[i] = (byte) (' ' + random.nextInt(95));
      }
      for (int twice = 0; twice < 2 && at < length; twice++) {
        int count = Math.min(run.length, length - at);
        System.arraycopy(run, 0, data, at, count);
        at += count;
      }
    }
    return data;
  }

  /** Runs the benchmarks with those names. */
  void run(List<String> names) {
    report.begin(directory, options, num, KEY_BYTES, valueSize);
    names.forEach(this::run);
  }

  private void run(String name) {
    found = 0;
    bytes = 0;
    switch (name) {
      case "fillseq" -> fill(name, num, n -> n, WriteOptions.DEFAULT);
      case "fillsync" -> fill(name, Math.max(1, num / SLOW_DIVISOR), this::any, WriteOptions.SYNC);
      case "fillrandom" -> fill(name, num, this::any, WriteOptions.DEFAULT);
      case "overwrite" -> measure(name, num, n -> put(any(n), WriteOptions.DEFAULT));
      case "readrandom" -> measure(name, num, n -> get(key(any(n))));
      case "readmissing" -> measure(name, num, n -> get(missing(any(n))));
      case "readhot" -> {
        int hot = Math.max(1, num / HOT_DIVISOR);
        measure(name, num, n -> get(key(random.nextInt(hot))));
      }
      case "seekrandom" -> measure(name, num, n -> seek(any(n)));
      case "readseq" -> scan(name, false);
      case "readreverse" -> scan(name, true);
      case "deleteseq" -> measure(name, num, n -> db.delete(key(n)));
      case "deleterandom" -> measure(name, num, n -> db.delete(key(any(n))));
      case "compact" -> measure(name, 1, n -> db.admin().compactRange(null, null));
      default -> throw new IllegalArgumentException(name);
    }
  }

  private interface Order {
    int entry(int step);
  }

  private int any(int step) {
    return random.nextInt(num);
  }

  /** Fills an empty database, as db_bench does. */
  private void fill(String name, int steps, Order order, WriteOptions writing) {
    db.close();
    DB.destroy(directory, options);
    db = DB.open(directory, options);
    measure(name, steps, n -> put(order.entry(n), writing));
  }

  private void put(int entry, WriteOptions writing) {
    if (position + valueSize > values.length) {
      position = 0;
    }
    byte[] value = Arrays.copyOfRange(values, position, position + valueSize);
    position += valueSize;
    db.put(writing, key(entry), value);
    bytes += KEY_BYTES + valueSize;
  }

  private void get(byte[] key) {
    byte[] value = db.get(key);
    if (value != null) {
      found++;
      bytes += KEY_BYTES + value.length;
    }
  }

  private void seek(int entry) {
    byte[] key = key(entry);
    try (DBIterator cursor = db.iterator()) {
      cursor.seek(key);
      if (cursor.isValid() && Arrays.equals(key, cursor.key())) {
        found++;
      }
    }
  }

  private void scan(String name, boolean backward) {
    try (DBIterator cursor = db.iterator()) {
      measureWhile(name, num, n -> scanTo(n, cursor, backward));
    }
  }

  /** Reads the next entry of a scan, and returns false at the end. */
  private boolean scanTo(int step, DBIterator cursor, boolean backward) {
    if (backward) {
      if (step == 0) {
        cursor.seekToLast();
      } else {
        cursor.prev();
      }
    } else if (step == 0) {
      cursor.seekToFirst();
    } else {
      cursor.next();
    }
    if (!cursor.isValid()) {
      return false;
    }
    found++;
    Slice value = cursor.valueSlice();
    for (int i = 0; i < value.length(); i++) {
      sum += value.byteAt(i);
    }
    bytes += cursor.keySlice().length() + value.length();
    return true;
  }

  private static byte[] key(int entry) {
    byte[] key = new byte[KEY_BYTES];
    Arrays.fill(key, (byte) '0');
    for (int i = KEY_BYTES - 1, rest = entry; rest > 0; i--, rest /= 10) {
      key[i] = (byte) ('0' + rest % 10);
    }
    return key;
  }

  /** Returns a key that does not exist, next to one that may exist. */
  private static byte[] missing(int entry) {
    return (new String(key(entry), StandardCharsets.US_ASCII) + '.')
        .getBytes(StandardCharsets.US_ASCII);
  }

  private void measure(String name, int steps, IntConsumer step) {
    measureWhile(
        name,
        steps,
        n -> {
          step.accept(n);
          return true;
        });
  }

  /** Measures at most so many steps; one that returns false is none, and the last. */
  private void measureWhile(String name, int steps, IntPredicate step) {
    Histogram nanos = new Histogram(3);
    long start = System.nanoTime();
    long before = start;
    int operations = 0;
    AtomicLong done = new AtomicLong();
    try (Progress progress = Progress.of(name, Progress.Unit.ENTRIES, steps, done::get)) {
      progress.begin();
      while (operations < steps) {
        Cancellation.check();
        if (!step.test(operations)) {
          break;
        }
        long now = System.nanoTime();
        nanos.recordValue(Math.max(0, now - before));
        before = now;
        operations++;
        done.lazySet(operations);
      }
    }
    report.add(new BenchResult(name, operations, before - start, bytes, found, nanos));
  }

  @Override
  public void close() {
    db.close();
  }
}
