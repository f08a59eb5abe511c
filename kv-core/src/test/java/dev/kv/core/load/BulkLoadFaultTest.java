package dev.kv.core.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.WriteOptions;
import dev.kv.core.db.LeakCheck;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.errors.DBException;
import dev.kv.errors.DBIOException;
import dev.kv.load.BulkLoadOptions;
import dev.kv.load.BulkLoader;
import dev.kv.table.TableWriter;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.FaultMode;
import dev.kv.testing.StrictMemEnv;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Kills, losses of power and faults at every operation of a load: an open finds all of its entries
 * or none, and everything that was synced before.
 */
@Tag("one-jdk")
@ExtendWith(LeakCheck.class)
class BulkLoadFaultTest {
  private static final Path DIRECTORY = Path.of("/load/db");
  private static final Path TABLES = Path.of("/load");
  private static final int ENTRIES = 400;

  private static final boolean LONG = Boolean.getBoolean("kv.long");

  /** The quick size fails one operation in five, and other ones in each mode. */
  private static final int STEP = LONG ? 1 : 5;

  /** What is loaded, and over what. */
  enum Kind {
    /** Ascending keys beside the others. */
    SORTED_FREE,
    /** Ascending keys over those of tables and of the memtable. */
    SORTED_OVER,
    /** Ascending keys, of which some are written during the load, so that it is written again. */
    SORTED_AGAIN,
    /** Enough for several tables, which other threads write and sync. */
    SORTED_TABLES,
    UNSORTED,
    INGEST_FREE,
    INGEST_OVER;

    boolean isFree() {
      return this == SORTED_FREE || this == SORTED_TABLES || this == INGEST_FREE;
    }

    int entries() {
      return this == SORTED_TABLES ? 300 : ENTRIES;
    }

    /** Returns the value of an entry; those of several tables do not compress. */
    String value(int i) {
      String value = "new" + i;
      if (this != SORTED_TABLES) {
        return value;
      }
      Random random = new Random(i);
      StringBuilder large = new StringBuilder(value);
      while (large.length() < 8000) {
        large.append((char) (' ' + random.nextInt(95)));
      }
      return large.toString();
    }
  }

  private static byte[] b(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String key(Kind kind, int i) {
    return (kind.isFree() ? "load" : "base") + (1000 + i);
  }

  /** One load into a database with some content. */
  private static final class Run {
    final Kind kind;
    final StrictMemEnv disk = new StrictMemEnv();
    final FaultEnv env = new FaultEnv(disk);
    final Options options =
        Options.builder()
            .createIfMissing(true)
            .env(env)
            .maxFileSize(1 << 20)
            .writeBufferSize(64 << 10)
            .build();
    final TreeMap<String, String> before = new TreeMap<>();
    final TreeMap<String, String> after = new TreeMap<>();
    final List<Path> tables = new ArrayList<>();
    DB db;

    Run(Kind kind) throws IOException {
      this.kind = kind;
      disk.createDurableDirectory(TABLES);
      db = DB.open(DIRECTORY, options);
      for (int i = 0; i < 60; i++) {
        before.put("base" + (1000 + 7 * i), "old" + i);
        db.put(b("base" + (1000 + 7 * i)), b("old" + i));
        if (i % 25 == 24) {
          db.admin().flush();
        }
      }
      db.put(WriteOptions.SYNC, b("base9"), b("synced"));
      before.put("base9", "synced");
      after.putAll(before);
      for (int i = 0; i < kind.entries(); i++) {
        after.put(key(kind, i), kind.value(i));
      }
      if (kind == Kind.INGEST_FREE || kind == Kind.INGEST_OVER) {
        for (int from = 0; from < ENTRIES; from += ENTRIES / 2) {
          tables.add(table(from, from + ENTRIES / 2));
        }
      }
    }

    private Path table(int from, int to) {
      Path file = TABLES.resolve("table" + from);
      try (TableWriter writer = TableWriter.forIngest(file, options)) {
        for (int i = from; i < to; i++) {
          writer.put(b(key(kind, i)), b(kind.value(i)));
        }
        writer.finish();
      }
      return file;
    }

    void load() {
      if (!tables.isEmpty()) {
        db.loads().ingest(tables);
        return;
      }
      BulkLoadOptions how =
          BulkLoadOptions.builder().sorted(kind != Kind.UNSORTED).sortMemory(1 << 20).build();
      try (BulkLoader loader = db.loads().bulkLoader(how)) {
        for (int i = 0; i < kind.entries(); i++) {
          int entry = kind == Kind.UNSORTED ? (i * 7) % ENTRIES : i;
          loader.put(b(key(kind, entry)), b(kind.value(entry)));
          if (kind == Kind.SORTED_AGAIN && i == ENTRIES / 2) {
            db.put(b("base1000"), b("old0"));
          }
        }
        loader.finish();
      }
    }

    /** Returns true if the load is there; fails if a part of it is. */
    boolean isLoaded(DB found) {
      TreeMap<String, String> content = new TreeMap<>();
      try (DBIterator cursor = found.iterator()) {
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
          content.put(
              new String(cursor.key(), StandardCharsets.ISO_8859_1),
              new String(cursor.value(), StandardCharsets.ISO_8859_1));
        }
      }
      for (Map.Entry<String, String> each : content.entrySet()) {
        assertThat(found.get(b(each.getKey()))).isEqualTo(b(each.getValue()));
      }
      assertThat(content).isIn(before, after);
      return content.equals(after);
    }
  }

  @ParameterizedTest
  @EnumSource
  void load_killedOrWithoutPowerBeforeEachOperation_isThereWholeOrNotAtAll(Kind kind)
      throws IOException {
    Run run = new Run(kind);
    Deque<StrictMemEnv> crashes = new ArrayDeque<>();
    run.env.watch(
        operation -> {
          synchronized (crashes) {
            // The quick size takes turns: at each operation 0 %, and 50 % or 100 %
            int turn = crashes.size() / 2 % 2 == 0 ? 50 : 100;
            for (int percent : LONG ? new int[] {0, 50, 100} : new int[] {0, turn}) {
              crashes.add(run.disk.crashClone(percent, crashes.size()));
            }
          }
        });
    run.load();
    run.env.watch(operation -> {});
    StrictMemEnv finished = run.disk.crashClone(0, 1);
    assertThat(run.isLoaded(run.db)).isTrue();
    run.db.close();
    int count = crashes.size();
    assertThat(count).isGreaterThan(30);
    int loaded = 0;
    // Each disk is released after its check, because an open adds files to it.
    for (StrictMemEnv crash = crashes.poll(); crash != null; crash = crashes.poll()) {
      try (DB found = DB.open(DIRECTORY, run.options.toBuilder().env(crash).build())) {
        loaded += run.isLoaded(found) ? 1 : 0;
      }
    }
    assertThat(loaded).isBetween(1, count - 10);
    try (DB found = DB.open(DIRECTORY, run.options.toBuilder().env(finished).build())) {
      assertThat(run.isLoaded(found)).as("after it was acknowledged").isTrue();
      found.put(b("base1000"), b("newest"));
      found.admin().compactRange(null, null);
      assertThat(found.get(b("base1000"))).isEqualTo(b("newest"));
      assertThat(crashed(finished, FileName.Kind.TEMP)).isEmpty();
    }
  }

  private static List<String> crashed(StrictMemEnv disk, FileName.Kind kind) throws IOException {
    List<String> names = new ArrayList<>();
    for (String name : disk.list(DIRECTORY)) {
      FileName file = FileNames.parse(name);
      if (file != null && file.kind() == kind) {
        names.add(name);
      }
    }
    return names;
  }

  @ParameterizedTest
  @EnumSource
  void load_onAFullDisk_namesTheFileAndTheCause(Kind kind) throws IOException {
    Run run = new Run(kind);
    fillDisk(run, ".ldb");
    String failed =
        kind == Kind.INGEST_FREE
            ? "cannot copy table /load/table0 to /load/db/\\d+\\.ldb"
            : "cannot write the table /load/db/\\d+\\.ldb";
    assertThatThrownBy(run::load)
        .isInstanceOf(DBIOException.class)
        .hasMessageMatching(failed + ": java.io.IOException: No space left on device.*");
    assertThat(run.isLoaded(run.db)).isFalse();
    run.env.heal();
    run.load();
    assertThat(run.isLoaded(run.db)).isTrue();
    run.db.close();
  }

  private static void fillDisk(Run run, String suffix) {
    run.env.fail(FaultEnv.Fault.NO_SPACE, Long.MAX_VALUE, operation -> operation.isOn(suffix));
  }

  @Test
  void sort_onAFullDisk_namesTheFileAndTheCause() throws IOException {
    Run run = new Run(Kind.UNSORTED);
    fillDisk(run, ".dbtmp");
    BulkLoadOptions how = BulkLoadOptions.builder().sorted(false).sortMemory(1 << 20).build();
    try (BulkLoader loader = run.db.loads().bulkLoader(how)) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 300; i++) {
                  loader.put(b("large" + i), new byte[8000]);
                }
              })
          .isInstanceOf(DBIOException.class)
          .hasMessageMatching(
              "cannot write the temporary file /load/db/\\d+\\.dbtmp: java.io.IOException: "
                  + "No space left on device.*");
    }
    assertThat(run.isLoaded(run.db)).isFalse();
    run.db.close();
  }

  @ParameterizedTest
  @Tag("slow")
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SHORT")
  void load_withAFaultAtEachOperation_failsWithoutAnyOfItOrIsThere(FaultMode mode)
      throws IOException {
    for (Kind kind : Kind.values()) {
      boolean injected = true;
      int reported = 0;
      for (int k = 1 + mode.ordinal() % STEP; injected; k += STEP) {
        Run run = new Run(kind);
        String what = mode + " at operation " + k + " of " + kind;
        long at = run.env.operations() + k;
        mode.inject(run.env, at);
        boolean failed = false;
        try {
          run.load();
        } catch (DBException expected) {
          failed = true;
        } catch (RuntimeException | Error e) {
          throw new AssertionError(what + ", " + run.env.lastFault(), e);
        }
        injected = run.env.injected() > 0;
        run.env.heal();
        reported += failed ? 1 : 0;
        try {
          boolean loaded = run.isLoaded(run.db);
          assertThat(loaded).isEqualTo(!failed);
          run.db.close();
        } catch (DBException e) {
          run.db.close();
        }
        try (DB found = DB.open(DIRECTORY, run.options)) {
          boolean loaded = run.isLoaded(found);
          assertThat(loaded || failed).as(what).isTrue();
          found.admin().compactRange(null, null);
          assertThat(run.isLoaded(found)).as(what).isEqualTo(loaded);
          assertThat(crashed(run.disk, FileName.Kind.TEMP)).as(what).isEmpty();
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError(what + ", " + run.env.lastFault(), e);
        }
      }
      assertThat(reported).as("faults reported in " + kind).isPositive();
    }
  }
}
