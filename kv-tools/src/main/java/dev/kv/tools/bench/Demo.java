package dev.kv.tools.bench;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.WriteBatch;
import dev.kv.bytes.Escape;
import dev.kv.tools.console.Cancellation;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.Progress;
import dev.kv.tools.stats.StatsText;
import dev.kv.tools.text.Json;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Runs the phases of the demo, checks every value that it reads, and prints a table at the end. */
final class Demo {
  private final Path directory;
  private final DemoData data;
  private final boolean json;
  private final PrintStream out;
  private final List<String> rates = new ArrayList<>();

  Demo(Path directory, DemoData data, boolean json, PrintStream out) {
    this.directory = directory;
    this.data = data;
    this.json = json;
    this.out = out;
  }

  void run() {
    int count = data.count();
    Options options = Options.builder().createIfMissing(true).build();
    try (DB db = DB.open(directory, options)) {
      phase("fill, random order", count, n -> put(db, data.shuffled(n), 0));
      try (Snapshot filled = db.snapshot()) {
        phase("overwrite 3 of 10", count, n -> overwrite(db, data.shuffled(n)));
        phase("one atomic batch", 1, n -> db.write(batch()));
        ReadOptions before = ReadOptions.at(filled);
        int samples = Math.max(1, count / 10);
        phase(
            "read by snapshot", samples, n -> check(db, before, DemoData.FILLED, data.shuffled(n)));
      }
      phase(
          "read random",
          count,
          n -> check(db, ReadOptions.DEFAULT, DemoData.CHANGED, data.shuffled(n)));
      scanForward(db, "scan forward", DemoData.CHANGED);
      scanBackward(db, "scan backward", DemoData.CHANGED);
      phase("delete 1 of 16", count, n -> delete(db, data.shuffled(n)));
      phase("compact", 1, n -> db.admin().compactRange(null, null));
    }
    long start = System.nanoTime();
    try (DB db = DB.open(directory, options)) {
      rate("close and reopen", 1, System.nanoTime() - start);
      scanForward(db, "verify by scan", DemoData.DELETED);
      phase(
          "verify by get",
          count,
          n -> check(db, ReadOptions.DEFAULT, DemoData.DELETED, data.shuffled(n)));
      report(db);
    }
  }

  private void put(DB db, int entry, int generation) {
    db.put(data.key(entry), data.value(entry, generation));
  }

  private void overwrite(DB db, int entry) {
    if (data.isOverwritten(entry)) {
      put(db, entry, 1);
    }
  }

  private void delete(DB db, int entry) {
    if (data.isDeleted(entry)) {
      db.delete(data.key(entry));
    }
  }

  private WriteBatch batch() {
    WriteBatch batch = WriteBatch.create();
    for (int entry = 0; entry < data.count(); entry++) {
      if (data.isPutByBatch(entry)) {
        batch.put(data.key(entry), data.value(entry, 2));
      } else if (data.isDeletedByBatch(entry)) {
        batch.delete(data.key(entry));
      }
    }
    return batch;
  }

  private void check(DB db, ReadOptions options, int state, int entry) {
    byte[] key = data.key(entry);
    expect(key, data.valueAt(state, entry), db.get(options, key));
  }

  private static void expect(byte[] key, byte @Nullable [] written, byte @Nullable [] read) {
    if (!Arrays.equals(written, read)) {
      throw new Failure(
          "key "
              + Escape.bytes(key)
              + ": "
              + text(written)
              + " was written, "
              + text(read)
              + " was read");
    }
  }

  private static String text(byte @Nullable [] value) {
    return value == null ? "nothing" : "'" + Escape.bytes(value) + "'";
  }

  private void scanForward(DB db, String name, int state) {
    try (DBIterator cursor = db.iterator()) {
      cursor.seekToFirst();
      phase(
          name,
          data.count(),
          entry -> {
            if (visit(cursor, state, entry)) {
              cursor.next();
            }
          });
      expectEnd(cursor);
    }
  }

  private void scanBackward(DB db, String name, int state) {
    try (DBIterator cursor = db.iterator()) {
      cursor.seekToLast();
      phase(
          name,
          data.count(),
          n -> {
            if (visit(cursor, state, data.count() - 1 - n)) {
              cursor.prev();
            }
          });
      expectEnd(cursor);
    }
  }

  /**
   * Checks the cursor against an entry; returns true if the entry exists and the cursor must move.
   */
  private boolean visit(DBIterator cursor, int state, int entry) {
    byte[] written = data.valueAt(state, entry);
    if (written == null) {
      return false;
    }
    byte[] key = data.key(entry);
    if (!cursor.isValid() || !Arrays.equals(key, cursor.key())) {
      String found = cursor.isValid() ? Escape.bytes(cursor.key()) : "the end";
      throw new Failure("scan: expected key " + Escape.bytes(key) + ", found " + found);
    }
    expect(key, written, cursor.value());
    return true;
  }

  private static void expectEnd(DBIterator cursor) {
    if (cursor.isValid()) {
      throw new Failure("scan: expected the end, found key " + Escape.bytes(cursor.key()));
    }
  }

  private void phase(String name, int steps, IntConsumer step) {
    long start = System.nanoTime();
    AtomicLong done = new AtomicLong();
    try (Progress progress = Progress.of(name, Progress.Unit.ENTRIES, steps, done::get)) {
      progress.begin();
      for (int n = 0; n < steps; n++) {
        Cancellation.check();
        step.accept(n);
        done.lazySet(n);
      }
    }
    rate(name, steps, System.nanoTime() - start);
  }

  private void rate(String name, int steps, long nanos) {
    double seconds = nanos / 1e9;
    if (json) {
      Map<String, Object> members = new LinkedHashMap<>();
      members.put("phase", name);
      members.put("steps", steps);
      members.put("seconds", seconds);
      rates.add(Json.of(members));
      return;
    }
    rates.add(
        String.format(
            Locale.ROOT,
            "%-20s %9d %9.3f %12.0f %10.3f",
            name,
            steps,
            seconds,
            steps / seconds,
            nanos / 1e3 / steps));
  }

  private void report(DB db) {
    if (json) {
      rates.forEach(out::println);
      return;
    }
    out.println("phase                    steps   seconds      steps/s  micros/step");
    rates.forEach(out::println);
    out.println();
    StatsText.levels(db.admin().stats()).forEach(out::println);
    out.println();
    out.println("Every entry that was read is as it was written.");
  }
}
