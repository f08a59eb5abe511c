package dev.kv.core.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.Children;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damages one place in one file of a database: log, MANIFEST, CURRENT, or any part of a table. Each
 * read must return the right answer or throw a {@link dev.kv.errors.CorruptionException}. Damage in
 * a log may also lead to a shorter prefix, which the statistics report. The test runs in a JVM with
 * 64 MiB of heap and as much direct memory, which must survive.
 */
@Tag("slow")
class DamageTest {
  @TempDir Path temp;

  @Test
  void flippedByte_inAnyFile_givesNoWrongAnswer() throws Exception {
    sweep("flips", Seeds.LONG ? 1 : 3, Seeds.LONG ? 8 : 1, Seeds.LONG ? 2 : 11, 5000);
  }

  @Test
  void truncatedFile_atAnyLength_givesNoWrongAnswer() throws Exception {
    sweep("cuts", Seeds.LONG ? 1 : 13, 1, Seeds.LONG ? 2 : 5, 1000);
  }

  @Test
  void zeroedSector_inAnyFile_givesNoWrongAnswer() throws Exception {
    sweep("zeros", Seeds.LONG ? 1 : 128, 1, 2, 100);
  }

  private void sweep(String mode, int step, int masks, int writeEvery, int leastCases)
      throws IOException, InterruptedException {
    Path output = temp.resolve("output");
    List<String> command =
        Children.quickCommand(
            List.of("-Xmx64m", "-XX:MaxDirectMemorySize=64m", "-ea"),
            DamageSweep.class,
            mode,
            Integer.toString(step),
            Integer.toString(masks),
            Integer.toString(writeEvery));
    Process child =
        Children.builder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      assertThat(child.waitFor(Seeds.LONG ? 600 : 10, TimeUnit.MINUTES))
          .as("%s", Files.readString(output))
          .isTrue();
    } finally {
      child.destroyForcibly();
    }
    String text = Files.readString(output);
    assertThat(child.exitValue()).as("%s", text).isZero();
    System.out.println("DamageTest: " + text.strip());
    int cases = Integer.parseInt(text.replaceAll("(?s).*: cases (\\d+) .*", "$1"));
    assertThat(cases).isGreaterThan(leastCases);
    assertThat(text).contains("CORRUPTION_AT_OPEN", "SHORTER_PREFIX");
    if (!mode.equals("cuts")) { // an open finds a table of another size
      assertThat(text).contains("CORRUPTION_AT_READ");
    }
  }
}
