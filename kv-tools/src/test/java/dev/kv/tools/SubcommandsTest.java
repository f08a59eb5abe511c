package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

class SubcommandsTest {
  @ParameterizedTest
  @MethodSource("dev.kv.tools.Subcommands#names")
  void create_everyName_isTheCommandDeclaredSo(String name) {
    Object command = Subcommands.create(name);
    assertThat(command).isNotNull();
    assertThat(command.getClass().getAnnotation(Command.class).name()).isEqualTo(name);
  }

  @ParameterizedTest
  @MethodSource("dev.kv.tools.Subcommands#names")
  void help_everyCommand_isPrinted(String name) {
    Cli help = Cli.run("help", name);
    assertThat(help.exitCode()).as(help.err()).isZero();
    assertThat(help.out()).contains("Usage: kv " + name);
    if (!name.equals("help")) {
      assertThat(Cli.run(name, "--help").out()).isEqualTo(help.out());
    }
  }

  @Test
  void addTo_knownCommand_declaresOnlyThat() {
    CommandLine root = new CommandLine(new Main());
    Subcommands.addTo(root, "--verbose", "get", "dir");
    assertThat(root.getSubcommands()).containsOnlyKeys("get");
    CommandLine all = new CommandLine(new Main());
    Subcommands.addTo(all, "--help");
    assertThat(all.getSubcommands().keySet()).containsExactlyElementsOf(Subcommands.names());
  }

  @Test
  void help_ofAll_listsEveryCommandWithoutColour() {
    Cli help = Cli.run("--help");
    assertThat(help.exitCode()).isZero();
    assertThat(help.out()).doesNotContain("\u001b");
    for (String name : Subcommands.names()) {
      assertThat(help.out()).contains("\n  " + name + " ");
    }
  }

  @Test
  void unknownCommand_isNamedAndEscaped() {
    Cli unknown = Cli.run("ge\u001bt");
    assertThat(unknown.exitCode()).isEqualTo(2);
    assertThat(unknown.err()).contains("ge\\x1bt").doesNotContain("\u001b");
    assertThat(unknown.out()).isEmpty();
    assertThat(Cli.run("--verbose", "get").exitCode()).isEqualTo(2);
  }

  @Test
  void unknownCommand_ofHelpToo_isAnsweredInTwoLines() {
    for (Cli unknown : List.of(Cli.run("nope"), Cli.run("help", "nope"))) {
      assertThat(unknown.exitCode()).isEqualTo(2);
      assertThat(unknown.out()).isEmpty();
      assertThat(unknown.err())
          .isEqualTo("kv: no such command: nope\n'kv help' lists the commands\n");
    }
  }

  @ParameterizedTest
  @MethodSource("dev.kv.tools.Subcommands#names")
  void help_everyParameterAndOption_isDescribed(String name) {
    CommandSpec spec = new CommandLine(Subcommands.create(name)).getCommandSpec();
    assertThat(spec.args())
        .allSatisfy(
            arg -> assertThat(String.join("", arg.description())).as("%s", arg).endsWith("."));
  }

  @Test
  void help_ofANestedCommand_isItsOwn() {
    Cli help = Cli.run("help", "backup", "create");
    assertThat(help.exitCode()).as(help.err()).isZero();
    assertThat(help.out()).contains("Usage: kv backup create");
    Cli unknown = Cli.run("help", "backup", "crate");
    assertThat(unknown.exitCode()).isEqualTo(2);
    assertThat(unknown.out()).isEmpty();
    assertThat(unknown.err())
        .contains("no such command: backup crate; did you mean backup create?");
    assertThat(Cli.run("help", "get", "key").exitCode()).isEqualTo(2);
  }

  @Test
  void unknownNestedCommand_isAnsweredAsAnyOther() {
    for (Cli unknown :
        List.of(Cli.run("backup", "prone", "dir"), Cli.run("help", "backup", "prone"))) {
      assertThat(unknown.exitCode()).isEqualTo(2);
      assertThat(unknown.err())
          .isEqualTo(
              "kv: no such command: backup prone; did you mean backup prune?\n"
                  + "'kv help backup' describes it\n");
    }
    assertThat(Cli.run("backup", "prune", "dir").err())
        .endsWith("'kv help backup prune' describes the command\n");
  }

  @Test
  void unknownOption_isNamedWithoutItsValue() {
    assertThat(Cli.run("scan", "dir", "--prefx", "a").err())
        .startsWith("kv: no such option: --prefx; did you mean --prefix?\nUsage: kv scan ");
    assertThat(Cli.run("scan", "dir", "--\u001b", "a").err())
        .startsWith("kv: no such option: --\\x1b\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "scan dir --json --hex",
        "scan dir --hex --utf8",
        "scan dir --format hex --json",
        "export dir --format binary --json",
        "load dir --json --format text",
        "import dir --format hex --json",
        "batch dir --format hex --json",
        "dump file --format text --json",
        "diff dir dir2 --utf8 --json",
        "get dir key --raw --utf8"
      })
  void formats_thatContradictEachOther_areRefused(String line) {
    Cli refused = Cli.run(line.split(" "));
    assertThat(refused.exitCode()).isEqualTo(2);
    assertThat(refused.err()).startsWith("kv: give one of --").contains("\nUsage: kv ");
    assertThat(refused.out()).isEmpty();
  }

  @Test
  void unknownCommandOrOption_isAnsweredByThoseThatAreNear() {
    assertThat(Cli.run("scna", "dir").err()).contains("no such command: scna; did you mean scan?");
    assertThat(Cli.run("zzz", "dir").err()).doesNotContain("did you mean");
    assertThat(Cli.run("scan", "dir", "--prefx", "a").err()).contains("--prefix");
  }

  @Test
  void everyCommandAndOption_isDocumented() throws IOException {
    String guide = Files.readString(Path.of("../src-docs/command-line.md"));
    for (String name : Subcommands.names()) {
      assertThat(guide).contains("kv " + name);
      new CommandLine(Subcommands.create(name))
          .getCommandSpec().options().stream()
              .map(OptionSpec::longestName)
              .filter(option -> !option.equals("--help") && !option.equals("--version"))
              .forEach(option -> assertThat(guide).as("of %s", name).contains(option));
    }
  }

  @Test
  void generateCompletion_isAScriptThatKnowsTheCommands() {
    Cli script = Cli.run("generate-completion");
    assertThat(script.exitCode()).as(script.err()).isZero();
    assertThat(script.out()).contains("complete -F").contains("approximate-size");
  }
}
