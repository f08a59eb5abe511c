package dev.kv.tools.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.kv.Options;
import dev.kv.table.TableWriter;
import dev.kv.tools.Child;
import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Progress as it stands on a terminal: script(1) gives the commands a pseudo-terminal. */
class ProgressTest {
  private static final Path SCRIPT = Path.of("/usr/bin/script");
  private static final long SECOND = 1_000_000_000;

  @TempDir Path temp;
  private Path dir;

  @BeforeEach
  void fill() throws IOException {
    dir = Fixtures.copy("snappy-levels", temp);
  }

  @ParameterizedTest
  @CsvSource({
    "BYTES, 31457280, 125829120, 10, '30.0 MiB of 120.0 MiB, 25 %, 3.0 MiB/s, 30 s left'",
    "BYTES, 1048576, 125829120, 10, '1.0 MiB of 120.0 MiB, 0 %, 0.1 MiB/s, 19 min 50 s left'",
    "BYTES, 0, 125829120, 10, '0.0 MiB of 120.0 MiB, 0 %, 0.0 MiB/s'",
    "BYTES, 2097152, 1048576, 1, '2.0 MiB of 2.0 MiB, 100 %, 2.0 MiB/s, 0 s left'",
    "ENTRIES, 500, -1, 2, '500 entries, 250 entries/s'",
    "FILES, 1, 36000, 1, '1 files of 36000 files, 0 %, 1 files/s, 9 h 59 min left'"
  })
  void line_workAndTime_giveRateAndTimeLeft(
      Progress.Unit unit, long done, long total, long seconds, String expected) {
    assertThat(Progress.line("copy", unit, done, total, seconds * SECOND))
        .isEqualTo("kv: copy " + expected);
  }

  /** Runs a line of sh on a terminal, with KV for the command; returns what the terminal shows. */
  private String onTerminal(String commandLine, String... environment) throws Exception {
    assumeThat(SCRIPT).exists();
    String kv = Cli.inShell("-Dkv.progress.delay=0");
    Path shown = temp.resolve("shown");
    ProcessBuilder builder =
        Child.builder(
                List.of(SCRIPT.toString(), "-qec", commandLine.replace("KV", kv), shown.toString()))
            .directory(temp.toFile())
            .redirectOutput(temp.resolve("script").toFile());
    for (String variable : environment) {
      builder.environment().put(variable, "1");
    }
    builder.environment().put("TERM", "xterm");
    Process process = builder.start();
    process.getOutputStream().close();
    assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
    String all = Files.readString(shown);
    assertThat(process.exitValue()).as(all).isZero();
    return all.substring(all.indexOf('\n') + 1, all.lastIndexOf("\nScript done"));
  }

  @ParameterizedTest
  @Tag("slow")
  @ValueSource(
      strings = {
        "scan snappy-levels > out",
        "scan snappy-levels --all-versions > out",
        "count snappy-levels > out",
        "export snappy-levels > out",
        "diff snappy-levels snappy-levels > out",
        "copy snappy-levels copy > out",
        "verify snappy-levels",
        "stats snappy-levels --entries",
        "dump snappy-levels/MANIFEST-000002 > out",
        "compact snappy-levels",
        "repair snappy-levels",
        "repair snappy-levels --dry-run",
        "destroy snappy-levels --yes",
        "ingest new table --create",
        "import new entries --create --format hex",
        "import new --create --format hex < entries",
        "load new --create --format hex < entries",
        "batch new --create --format text < operations",
        "bench new --num 1000 --benchmarks fillseq",
        "demo new --entries 1000"
      })
  void longCommand_onATerminal_showsProgress(String command) throws Exception {
    Files.write(temp.resolve("entries"), Fixtures.entries("snappy-levels"));
    Files.writeString(temp.resolve("operations"), "put a 1\n");
    try (TableWriter table = TableWriter.forIngest(temp.resolve("table"), Options.DEFAULT)) {
      table.put(new byte[] {1}, new byte[1]);
      table.finish();
    }
    String shown = onTerminal("KV " + command);
    String task = command.substring(0, command.indexOf(' '));
    List<String> tasks =
        switch (task) {
          case "copy" -> List.of("copy", "compact");
          case "stats" -> List.of("verify");
          case "bench" -> List.of("fillseq");
          case "demo" -> List.of("fill, random order", "read random");
          default -> List.of(task);
        };
    for (String each : tasks) {
      assertThat(shown).containsPattern("kv: " + each + " \\d[^\r\n]*/s[^\r\n]*\r");
    }
    assertThat(shown).doesNotContain("\u001b");
  }

  @Test
  void progress_commandEnds_isRemoved() throws Exception {
    String shown = onTerminal("KV count snappy-levels > out");
    List<String> drawn = new ArrayList<>(List.of(shown.split("\r")));
    assertThat(drawn).hasSizeGreaterThan(1);
    assertThat(drawn.get(drawn.size() - 1)).isBlank().hasSameSizeAs(drawn.get(drawn.size() - 2));
    assertThat(Files.readString(temp.resolve("out"))).isEqualTo("1507\n");
  }

  @Test
  void progress_standardErrorRedirected_isNotShown() throws Exception {
    assertThat(onTerminal("KV verify snappy-levels 2> err")).startsWith("checked ");
    assertThat(Files.readString(temp.resolve("err"))).isEmpty();
  }

  @Test
  void progress_dataOnTheTerminalToo_isNotShown() throws Exception {
    assertThat(onTerminal("KV scan snappy-levels --limit 3").lines())
        .hasSize(3)
        .allMatch(line -> line.startsWith("key"));
  }

  @Test
  void help_onATerminal_isColouredUnlessAskedNotToBe() throws Exception {
    assertThat(onTerminal("KV scan --help")).contains("\u001b[");
    assertThat(onTerminal("KV scan --help", "NO_COLOR"))
        .contains("--from")
        .doesNotContain("\u001b");
    assertThat(onTerminal("KV scan --help | cat")).contains("--from").doesNotContain("\u001b");
  }
}
