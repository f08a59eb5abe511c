package dev.kv.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.WriteOptions;
import dev.kv.core.db.DbTestBase;
import dev.kv.testing.StrictMemEnv;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Loss of power over and over: what was synced is there after each, and nothing that was never
 * written.
 */
@Tag("one-jdk")
class UnsyncedLossTest {
  private static final long SEED = Long.getLong("kv.power.seed", 86);
  private static final int ROUNDS = Boolean.getBoolean("kv.long") ? 300 : 30;

  private final Path directory = Path.of("/power/db");
  private final Random random = new Random(SEED);

  /** Every value ever written, by key: a value is 1000 bytes that follow from its number. */
  private final List<Integer> written = new ArrayList<>();

  private StrictMemEnv env = new StrictMemEnv();
  private int durable;

  private Options options(boolean reuseLogs) {
    return Options.builder()
        .createIfMissing(true)
        .env(env)
        .reuseLogs(reuseLogs)
        .writeBufferSize(64 << 10)
        .build();
  }

  private static byte[] key(int i) {
    return DbTestBase.b(DbTestBase.key(i));
  }

  private static byte[] value(int i) {
    byte[] value = new byte[1000];
    new Random(i).nextBytes(value);
    return value;
  }

  private void write(DB db, int count, boolean syncLast) {
    for (int i = 0; i < count; i++) {
      boolean sync = syncLast && i == count - 1;
      db.put(WriteOptions.builder().sync(sync).build(), key(written.size()), value(written.size()));
      written.add(written.size());
      durable = sync ? written.size() : durable;
    }
  }

  /** Writes are a run of numbers, so that what is found must be its beginning. */
  private void expectAPrefix(DB db, String when) {
    int found = 0;
    while (found < written.size()) {
      byte[] value = db.get(key(found));
      if (value == null) {
        break;
      }
      assertThat(value).as("%s: key %d", when, found).isEqualTo(value(found));
      found++;
    }
    assertThat(found).as("%s: found of %d", when, written.size()).isGreaterThanOrEqualTo(durable);
    for (int i = found; i < written.size(); i++) {
      assertThat(db.get(key(i))).as("%s: key %d behind a hole", when, i).isNull();
    }
    while (written.size() > found) {
      written.remove(written.size() - 1);
    }
    durable = found;
  }

  @ParameterizedTest
  @CsvSource({"false, 0", "false, 50", "true, 0", "true, 50"})
  void powerLoss_overAndOver_keepsWhatWasSyncedAndNoHole(boolean reuseLogs, int percentKept) {
    for (int round = 0; round < ROUNDS; round++) {
      String when = "round " + round + ", -Dkv.power.seed=" + SEED;
      StrictMemEnv found;
      try (DB db = DB.open(directory, options(reuseLogs))) {
        expectAPrefix(db, when);
        write(db, random.nextInt(60), true);
        if (random.nextInt(3) == 0) {
          db.admin().compactRange(null, null);
        }
        write(db, random.nextInt(60), false);
        found = env.crashClone(percentKept, SEED + round);
      }
      env = found;
    }
    try (DB db = DB.open(directory, options(reuseLogs))) {
      expectAPrefix(db, "last");
      assertThat(written).hasSizeGreaterThan(ROUNDS);
    }
  }

  /**
   * The reopened database goes on in files that an open with nothing written has made or taken
   * over.
   */
  @ParameterizedTest
  @CsvSource({"false", "true"})
  void powerLoss_afterAnOpenWithoutWrites_losesNothing(boolean reuseLogs) {
    for (int round = 0; round < ROUNDS; round++) {
      String when = "round " + round + ", -Dkv.power.seed=" + SEED;
      try (DB db = DB.open(directory, options(reuseLogs))) {
        expectAPrefix(db, when);
        write(db, 1 + random.nextInt(20), true);
      }
      StrictMemEnv found;
      try (DB db = DB.open(directory, options(reuseLogs))) {
        found = env.crashClone(0, SEED + round);
        expectAPrefix(db, when);
      }
      env = found;
    }
    assertThat(durable).isGreaterThanOrEqualTo(ROUNDS);
  }
}
