package dev.kv.core.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One place of one file of a database is damaged: log, MANIFEST, CURRENT, and every part of a
 * table. Each read gives the right answer or a {@link dev.kv.CorruptionException}; damage in a log
 * may also give a shorter prefix, which the statistics tell of. In a JVM with 64 MiB of heap and as
 * much direct memory, which lives.
 */
@Tag("slow")
class DamageTest {
  @TempDir Path temp;

  @Test
  void flippedByte_inAnyFile_isNoWrongAnswer() throws Exception {
    sweep("flips", 1, Seeds.LONG ? 8 : 1, Seeds.LONG ? 2 : 11, 15_000);
  }

  @Test
  void cutFile_atAnyLength_isNoWrongAnswer() throws Exception {
    sweep("cuts", Seeds.LONG ? 1 : 13, 1, Seeds.LONG ? 2 : 5, 1000);
  }

  @Test
  void zeroedSector_inAnyFile_isNoWrongAnswer() throws Exception {
    sweep("zeros", Seeds.LONG ? 1 : 128, 1, 2, 100);
  }

  private void sweep(String mode, int step, int masks, int writeEvery, int leastCases)
      throws IOException, InterruptedException {
    Path told = temp.resolve("told");
    List<String> command =
        new ArrayList<>(
            Children.java(
                64,
                DamageSweep.class,
                mode,
                Integer.toString(step),
                Integer.toString(masks),
                Integer.toString(writeEvery)));
    command.add(1, "-XX:MaxDirectMemorySize=64m");
    command.add(1, "-ea");
    Process child =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(told.toFile()).start();
    try {
      assertThat(child.waitFor(Seeds.LONG ? 600 : 10, TimeUnit.MINUTES))
          .as("%s", Files.readString(told))
          .isTrue();
    } finally {
      child.destroyForcibly();
    }
    String text = Files.readString(told);
    assertThat(child.exitValue()).as("%s", text).isZero();
    System.out.println("DamageTest: " + text.strip());
    int cases = Integer.parseInt(text.replaceAll("(?s).*: cases (\\d+) .*", "$1"));
    assertThat(cases).isGreaterThan(leastCases);
    assertThat(text).contains("CORRUPTION_AT_OPEN", "CORRUPTION_AT_READ", "SHORTER_PREFIX");
  }
}
