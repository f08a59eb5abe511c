package dev.kv.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.log.LogBytes.Result;
import dev.kv.testing.StrictMemEnv;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Logs after loss of power: what was synced is there, and what is damaged is seen to be torn. */
final class LogCrashTest {
  private static final Path DIR = Path.of("/log-crash-test");
  private static final Path LOG = DIR.resolve("000003.log");
  private static final int ROUNDS = Boolean.getBoolean("kv.long") ? 1500 : 25;
  private static final int[] PERCENT = {0, 10, 50, 90, 100};

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void crash_atAnyTime_leavesThePrefixThatWasSyncedAndOnlyTornDamage(boolean mapped)
      throws IOException {
    int damaged = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(round);
      StrictMemEnv env = new StrictMemEnv();
      env.createDurableDirectory(DIR);
      LogWriter writer =
          mapped
              ? LogWriter.mapped(LOG, env.createMappedLog(LOG))
              : LogWriter.appending(LOG, env.createWritable(LOG), 0);
      env.syncDirectory(DIR);
      List<String> records = new ArrayList<>();
      int synced = 0;
      for (int i = random.nextInt(80); i >= 0; i--) {
        String record = LogBytes.skewed(i, random);
        writer.append(LogBytes.direct(record), 0, record.length());
        records.add(record);
        if (random.nextInt(8) == 0) {
          writer.sync();
          synced = records.size();
        }
        if (random.nextInt(8) == 0) {
          writer.reserveAhead();
        }
      }
      boolean cut = random.nextInt(4) == 0;
      if (cut) {
        writer.closeCleanly();
      }
      for (int percent : PERCENT) {
        damaged +=
            check(
                env.crashClone(percent, round),
                records,
                synced,
                "round " + round + ", " + percent + " %");
      }
    }
    assertThat(damaged).as("crashes that left damage").isGreaterThan(mapped ? 10 : 1);
  }

  /** Returns 1 if the reader had something to report. */
  private static int check(StrictMemEnv env, List<String> records, int synced, String what)
      throws IOException {
    Result result = new Result();
    List<String> read = new ArrayList<>();
    try (LogReader reader = new LogReader(env, LOG, result)) {
      RecordBuffer record = new RecordBuffer();
      while (reader.readRecord(record) && result.reasons.isEmpty()) {
        read.add(new String(LogBytes.copy(record), java.nio.charset.StandardCharsets.ISO_8859_1));
      }
    }
    assertThat(read.size()).as(what).isBetween(synced, records.size());
    assertThat(read.equals(records.subList(0, read.size()))).as(what).isTrue();
    if (!result.torn.isEmpty()) {
      assertThat(result.torn.get(0)).as(what + ": " + result.reasons + result.damage).isTrue();
      return 1;
    }
    return 0;
  }
}
