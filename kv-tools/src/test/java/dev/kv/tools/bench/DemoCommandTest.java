package dev.kv.tools.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.tools.Child;
import dev.kv.tools.Cli;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoCommandTest {
  private static final int ENTRIES = Boolean.getBoolean("kv.long") ? 200_000 : 50_000;

  @TempDir Path temp;

  @Test
  void demo_small_verifiesAndStays() {
    String dir = temp.resolve("demo").toString();
    Cli demo = Cli.run("demo", dir, "--entries", "5000");
    assertThat(demo.exitCode()).as(demo.err()).isZero();
    assertThat(demo.out()).contains("Every entry that was read is as it was written");
    assertThat(Cli.run("get", dir, "0000000000000042").exitCode()).isZero();
    assertThat(Cli.run("demo", dir).exitCode()).isEqualTo(1);
  }

  @Test
  void demo_json_isAnObjectForEachPhase() {
    Cli demo = Cli.run("demo", "--entries", "2000", "--json");
    assertThat(demo.exitCode()).as(demo.err()).isZero();
    assertThat(demo.out().lines())
        .hasSize(12)
        .allMatch(line -> line.startsWith("{\"phase\":\"") && line.contains(",\"seconds\":"));
    assertThat(demo.out()).startsWith("{\"phase\":\"fill, random order\",\"steps\":2000,");
  }

  @Test
  @Tag("slow")
  void demo_withAHeapOf64MiB_runsAndIsSilentOnStandardError() throws Exception {
    List<String> command = Cli.inProcess("-Xmx64m");
    command.addAll(List.of("demo", temp.resolve("demo").toString(), "--entries", "" + ENTRIES));
    Process child =
        Child.builder(command)
            .redirectOutput(temp.resolve("out").toFile())
            .redirectError(temp.resolve("err").toFile())
            .start();
    assertThat(child.waitFor(3, TimeUnit.MINUTES)).isTrue();
    assertThat(Files.readString(temp.resolve("err"))).isEmpty();
    assertThat(child.exitValue()).isZero();
    assertThat(Files.readString(temp.resolve("out")))
        .contains("Every entry that was read is as it was written");
  }
}
