package dev.kv.core.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.WriteOptions;
import dev.kv.core.db.LeakCheck;
import dev.kv.errors.DBException;
import dev.kv.options.CompactionFilter.Decision;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.FaultMode;
import dev.kv.testing.StrictMemEnv;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Kills, losses of power and faults at every operation of a compaction with a filter: each key has
 * its value from before or what the filter made of it, and nothing older comes back.
 */
@Tag("one-jdk")
@ExtendWith(LeakCheck.class)
class CompactionFilterFaultTest {
  private static final Path DIRECTORY = Path.of("/filter/db");
  private static final int KEYS = 60;

  private static byte[] b(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String s(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** A database in whose deepest level each key has an older value. */
  private static final class Run {
    final StrictMemEnv disk = new StrictMemEnv();
    final FaultEnv env = new FaultEnv(disk);
    final Options options =
        Options.builder()
            .createIfMissing(true)
            .env(env)
            .compaction(
                c ->
                    c.filter(
                        (level, key, value) ->
                            switch (value.byteAt(0)) {
                              case 'd' -> Decision.DROP;
                              case 'r' ->
                                  Decision.replace(b("s" + s(value.toByteArray()).substring(1)));
                              default -> Decision.KEEP;
                            }))
            .build();
    final TreeMap<String, String> before = new TreeMap<>();
    final TreeMap<String, String> after = new TreeMap<>();
    final Snapshot snapshot;
    final DB db;

    Run(boolean withSnapshot) {
      db = DB.open(DIRECTORY, options);
      for (int i = 0; i < KEYS; i++) {
        db.put(b("key" + (100 + i)), b("k-old" + i));
      }
      db.admin().compactRange(null, null);
      snapshot = withSnapshot ? db.snapshot() : null;
      for (int i = 0; i < KEYS; i++) {
        String key = "key" + (100 + i);
        String value = List.of("d", "r", "k").get(i % 3) + i;
        db.put(b(key), b(value));
        before.put(key, value);
        if (i % 3 > 0) {
          after.put(key, value.replace('r', 's'));
        }
        if (i == KEYS / 2) {
          db.admin().flush();
        }
      }
      db.put(WriteOptions.SYNC, b("key9"), b("k-synced"));
      before.put("key9", "k-synced");
      after.put("key9", "k-synced");
    }

    void check(DB found) {
      TreeMap<String, String> content = content(found, ReadOptions.DEFAULT);
      for (String key : before.keySet()) {
        assertThat(content.get(key)).as(key).isIn(before.get(key), after.get(key));
        byte[] value = found.get(b(key));
        // A compaction that failed is tried again in the background, and can end since the scan.
        assertThat(value == null ? null : s(value)).isIn(content.get(key), after.get(key));
      }
      assertThat(before.keySet()).containsAll(content.keySet());
    }

    static TreeMap<String, String> content(DB found, ReadOptions options) {
      TreeMap<String, String> content = new TreeMap<>();
      try (DBIterator cursor = found.iterator(options)) {
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
          content.put(s(cursor.key()), s(cursor.value()));
        }
      }
      return content;
    }

    void checkSnapshot() {
      if (snapshot != null) {
        TreeMap<String, String> seen = content(db, ReadOptions.at(snapshot));
        assertThat(seen).hasSize(KEYS);
        assertThat(seen.values()).allMatch(value -> value.startsWith("k-old"));
      }
    }

    void close() {
      if (snapshot != null) {
        snapshot.close();
      }
      db.close();
    }
  }

  @Test
  void compaction_killedOrWithoutPowerBeforeEachOperation_bringsNothingBack() {
    for (boolean withSnapshot : new boolean[] {false, true}) {
      Run run = new Run(withSnapshot);
      List<StrictMemEnv> crashes = new ArrayList<>();
      run.env.watch(
          operation -> {
            synchronized (crashes) {
              for (int percent : new int[] {0, 50, 100}) {
                crashes.add(run.disk.crashClone(percent, crashes.size()));
              }
            }
          });
      run.db.admin().compactRange(null, null);
      run.env.watch(operation -> {});
      crashes.add(run.disk.crashClone(0, 1));
      assertThat(Run.content(run.db, ReadOptions.DEFAULT)).isEqualTo(run.after);
      run.checkSnapshot();
      run.close();
      assertThat(crashes).hasSizeGreaterThan(30);
      for (StrictMemEnv crash : crashes) {
        try (DB found = DB.open(DIRECTORY, run.options.toBuilder().env(crash).build())) {
          run.check(found);
          found.admin().compactRange(null, null);
          assertThat(Run.content(found, ReadOptions.DEFAULT)).isEqualTo(run.after);
        }
      }
    }
  }

  @ParameterizedTest
  @Tag("slow")
  @EnumSource
  void compaction_withAFaultAtEachOperation_changesAllOrNothing(FaultMode mode) {
    for (boolean withSnapshot : new boolean[] {false, true}) {
      boolean injected = true;
      int reported = 0;
      for (int k = 1; injected; k++) {
        Run run = new Run(withSnapshot);
        String what = mode + " at operation " + k;
        mode.inject(run.env, run.env.operations() + k);
        try {
          run.db.admin().compactRange(null, null);
        } catch (DBException expected) {
          reported++;
        }
        injected = run.env.injected() > 0;
        run.env.heal();
        try {
          run.check(run.db);
          run.checkSnapshot();
        } finally {
          run.close();
        }
        try (DB found = DB.open(DIRECTORY, run.options)) {
          run.check(found);
          found.admin().compactRange(null, null);
          assertThat(Run.content(found, ReadOptions.DEFAULT)).isEqualTo(run.after);
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError(what + ", " + run.env.lastFault(), e);
        }
      }
      assertThat(reported).as("faults reported").isGreaterThan(3);
    }
  }
}
