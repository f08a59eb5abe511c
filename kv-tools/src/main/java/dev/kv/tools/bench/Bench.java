package dev.kv.tools.bench;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.WriteOptions;
import dev.kv.tools.console.Output;
import dev.kv.tools.console.Progress;
import dev.kv.tools.text.Json;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.HdrHistogram.Histogram;

/** The benchmarks of a short db_bench, one after the other on one database. */
final class Bench implements AutoCloseable {
  /** The benchmarks' names, which are db_bench's. */
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
  private final boolean json;
  private final Output out;
  private final Random random;
  private final byte[] values;
  private DB db;

  /** Counts what a benchmark found, so that its reads are not for nothing. */
  private long found;

  /** The bytes of keys and values that a benchmark moved. */
  private long bytes;

  Bench(
      Path directory,
      Options options,
      int num,
      int valueSize,
      long seed,
      boolean json,
      Output out) {
    this.directory = directory;
    this.options = options;
    this.num = num;
    this.valueSize = valueSize;
    this.json = json;
    this.out = out;
    random = new Random(seed);
    values = compressible(Math.max(1 << 20, 2 * valueSize));
    db = DB.open(directory, options);
  }

  /** Returns bytes that compress to about a half: each random run of 50 stands twice. */
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

  /** Runs the benchmarks of those names. */
  void run(List<String> names) {
    if (!json) {
      out.line(
          String.format(
              Locale.ROOT,
              "%d entries of %d + %d bytes, java %s, %s",
              num,
              KEY_BYTES,
              valueSize,
              Runtime.version().feature(),
              System.getProperty("os.arch")));
      out.line(
          "benchmark      micros/op        ops/s       MB/s    p50 us    p99 us  p99.9 us    max us");
      out.flush();
    }
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
      case "compact" -> measure(name, 1, n -> db.compactRange(null, null));
      default -> throw new IllegalArgumentException(name);
    }
  }

  private interface Order {
    int entry(int step);
  }

  private int any(int step) {
    return random.nextInt(num);
  }

  /** Fills a database that is empty, as db_bench does. */
  private void fill(String name, int steps, Order order, WriteOptions writing) {
    db.close();
    DB.destroy(directory, options);
    db = DB.open(directory, options);
    measure(name, steps, n -> put(order.entry(n), writing));
  }

  private void put(int entry, WriteOptions writing) {
    int from = random.nextInt(values.length - valueSize + 1);
    db.put(writing, key(entry), Arrays.copyOfRange(values, from, from + valueSize));
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
      if (backward) {
        cursor.seekToLast();
      } else {
        cursor.seekToFirst();
      }
      measure(
          name,
          num,
          n -> {
            if (cursor.isValid()) {
              found++;
              bytes += cursor.keySlice().length() + cursor.valueSlice().length();
              if (backward) {
                cursor.prev();
              } else {
                cursor.next();
              }
            }
          });
    }
  }

  private static byte[] key(int entry) {
    byte[] key = new byte[KEY_BYTES];
    Arrays.fill(key, (byte) '0');
    for (int i = KEY_BYTES - 1, rest = entry; rest > 0; i--, rest /= 10) {
      key[i] = (byte) ('0' + rest % 10);
    }
    return key;
  }

  /** Returns a key beside one that may be there. */
  private static byte[] missing(int entry) {
    return (new String(key(entry), StandardCharsets.US_ASCII) + '.')
        .getBytes(StandardCharsets.US_ASCII);
  }

  private void measure(String name, int steps, IntConsumer step) {
    Histogram nanos = new Histogram(3);
    long start = System.nanoTime();
    long before = start;
    AtomicLong done = new AtomicLong();
    try (Progress progress = Progress.of(name, Progress.Unit.ENTRIES, steps, done::get)) {
      progress.begin();
      for (int n = 0; n < steps; n++) {
        step.accept(n);
        long now = System.nanoTime();
        nanos.recordValue(Math.max(0, now - before));
        before = now;
        done.lazySet(n);
      }
    }
    report(name, steps, before - start, nanos);
  }

  private void report(String name, int steps, long elapsed, Histogram nanos) {
    double seconds = elapsed / 1e9;
    double micros = elapsed / 1e3 / steps;
    if (json) {
      Map<String, Object> members = new LinkedHashMap<>();
      members.put("benchmark", name);
      members.put("operations", steps);
      members.put("microsPerOperation", rounded(micros));
      members.put("megabytesPerSecond", rounded(bytes / 1e6 / seconds));
      members.put("found", found);
      for (double percentile : new double[] {50, 99, 99.9, 100}) {
        members.put(
            "p" + (percentile % 1 == 0 ? Integer.toString((int) percentile) : "99.9") + "Micros",
            rounded(nanos.getValueAtPercentile(percentile) / 1e3));
      }
      out.line(Json.of(members));
    } else {
      String line =
          String.format(
              Locale.ROOT,
              "%-12s %11.3f %12.0f %10.1f %9.1f %9.1f %9.1f %9.1f",
              name,
              micros,
              steps / seconds,
              bytes / 1e6 / seconds,
              nanos.getValueAtPercentile(50) / 1e3,
              nanos.getValueAtPercentile(99) / 1e3,
              nanos.getValueAtPercentile(99.9) / 1e3,
              nanos.getMaxValue() / 1e3);
      out.line(name.startsWith("read") ? line + "  (" + found + " of " + steps + " found)" : line);
    }
    out.flush();
  }

  private static double rounded(double value) {
    return Math.round(value * 1000) / 1000.0;
  }

  @Override
  public void close() {
    db.close();
  }
}
