package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

class GenerateManCommandTest {
  @TempDir Path directory;

  @Test
  void page_hasEveryCommandAndOption() {
    String page = page();
    assertThat(page).startsWith(".TH KV 1 ").contains("\n.SH NAME\nkv \\- ", "\n.SH SYNOPSIS\n");
    CommandLine root = new CommandLine(new Main());
    Subcommands.addTo(root, "help");
    for (CommandLine command : root.getSubcommands().values()) {
      if (!command.getCommandName().equals("help")) {
        containsAll(page, "kv", command);
      }
    }
    assertThat(page.split("\\\\fB\\\\-h, ", -1)).as("in one place").hasSize(2);
  }

  private static void containsAll(String page, String parents, CommandLine command) {
    CommandSpec spec = command.getCommandSpec();
    String name = parents + " " + spec.name();
    String begin = "\n.SS " + name.replace("-", "\\-") + "\n";
    assertThat(page).contains(begin);
    int from = page.indexOf(begin) + begin.length();
    int end = page.indexOf("\n.S", from);
    String section = page.substring(from, end);
    for (OptionSpec option : spec.options()) {
      if (!option.hidden() && !option.usageHelp() && !option.versionHelp()) {
        String longest = option.longestName().replace("-", "\\-");
        assertThat(longest.equals("\\-\\-verbose") ? page : section).as(name).contains(longest);
      }
    }
    command.getSubcommands().values().forEach(nested -> containsAll(page, name, nested));
  }

  @Test
  void page_everyLine_isARequestOrText() {
    for (String line : page().lines().toList()) {
      if (line.startsWith(".")) {
        assertThat(line).matches("[.]((TH|SH|SS|TP|PP|B|I)( .*)?|ad l|nh)");
      } else {
        assertThat(line).doesNotStartWith("'").isNotBlank();
        assertThat(line.replaceAll("\\\\(e|-|:|&|f[BIR]|\\((aq|ga|ha|ti))", ""))
            .as(line)
            .doesNotContain("\\");
      }
    }
  }

  @Test
  void page_formattedByGroff_hasNoWarning() throws IOException, InterruptedException {
    assumeTrue(
        Stream.of("/usr/bin/groff", "/usr/local/bin/groff").anyMatch(p -> Files.exists(Path.of(p))),
        "no groff here");
    Path page = Files.writeString(directory.resolve("kv.1"), page());
    Path text = directory.resolve("text");
    Path warnings = directory.resolve("warnings");
    List<String> command = Arrays.asList("groff", "-man", "-ww", "-z", "-Tascii", page.toString());
    assertThat(run(command, text, warnings)).isZero();
    assertThat(warnings).isEmptyFile();
    assertThat(
            run(
                List.of("groff", "-man", "-P-c", "-P-b", "-P-u", "-Tascii", page.toString()),
                text,
                warnings))
        .isZero();
    assertThat(Files.readString(text, StandardCharsets.US_ASCII))
        .contains("kv - reads, writes and inspects LevelDB databases")
        .contains("--prefix")
        .contains("\\xNN in it stands for one byte")
        .contains("kv backup create");
  }

  private static int run(List<String> command, Path out, Path err)
      throws IOException, InterruptedException {
    return new ProcessBuilder(command)
        .redirectOutput(out.toFile())
        .redirectError(err.toFile())
        .start()
        .waitFor();
  }

  private static String page() {
    Cli page = Cli.run("generate-man");
    assertThat(page.exitCode()).as(page.err()).isZero();
    return page.out();
  }
}
