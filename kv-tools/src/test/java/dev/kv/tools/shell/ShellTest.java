package dev.kv.tools.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import dev.kv.tools.console.Cancellation;
import dev.kv.tools.database.DatabaseArguments;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jline.reader.Candidate;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;
import org.jline.terminal.Terminal;
import org.jline.terminal.impl.DumbTerminal;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class ShellTest {
  @TempDir Path temp;

  /** Gives a test the arguments that a command line makes. */
  @Command
  private static final class Holder {
    @Mixin private DatabaseArguments database;
  }

  private static DatabaseArguments arguments(String... args) {
    Holder holder = new Holder();
    new CommandLine(holder).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(args);
    return holder.database;
  }

  /** Runs lines on a copy of a fixture. */
  private Cli onPlain(String lines) throws IOException {
    return Cli.runWithInput(lines, "shell", Fixtures.copy("plain", temp).toString());
  }

  @Test
  void input_linesWithQuotesAndEscapes_areCommands() throws IOException {
    Cli shell =
        onPlain(
            """
            put 'a key' "b c"

            get "a key"
            put \\x00 \\xff
            get \\x00
            count --prefix 'a key' --json
            """);
    assertThat(shell.exitCode()).as(shell.err()).isZero();
    assertThat(shell.out())
        .isEqualTo("b c\n\\xff\n{\"count\":1,\"keyBytes\":5,\"valueBytes\":3}\n");
  }

  @Test
  void input_blankAtTheEnd_isNoWord() throws IOException {
    Cli shell =
        onPlain("put k 1\nput '' empty\nput k \ndelete \nget k \nget ''\n \nput k ''\nget k\n");
    assertThat(shell.exitCode()).isEqualTo(2);
    assertThat(shell.err()).contains("give a VALUE or --file", "Usage: put [", "Usage: delete [");
    assertThat(shell.out()).isEqualTo("1\nempty\n\n");
  }

  @Test
  void input_quotesWithinAWord_areNotAPartOfIt() throws IOException {
    Cli shell = onPlain("put \"a key\" 1\ncount --prefix=\"a k\"\ncount --from='a k' --to=a' 'l\n");
    assertThat(shell.exitCode()).as(shell.err()).isZero();
    assertThat(shell.out()).isEqualTo("1\n1\n");
  }

  @Test
  void input_failures_areReportedAndFollowedByTheNextLine() throws IOException {
    String dir = Fixtures.copy("plain", temp).toString();
    Cli shell =
        Cli.runWithInput(
            "nonsense\n"
                + "gett absent\n"
                + "get absent\n"
                + "destroy --yes\n"
                + "get 'open\n"
                + "put k v\n"
                + "get k\n"
                + "exit\n"
                + "put late x\n",
            "shell",
            dir);
    assertThat(shell.exitCode()).isEqualTo(2);
    assertThat(shell.out()).isEqualTo("v\n");
    assertThat(shell.err())
        .contains("no such command in the shell: nonsense; 'help' lists them")
        .contains("no such command in the shell: gett; did you mean get?")
        .contains("no such key: absent")
        .contains("no such command in the shell: destroy")
        .contains("a quote is not closed");
    assertThat(Cli.run("get", dir, "late").exitCode()).isEqualTo(1);
  }

  @Test
  void input_bytesThatAreNotUtf8_endIt() throws IOException {
    String dir = Fixtures.copy("plain", temp).toString();
    byte[] lines = "put k 1\nput bad ~\nput late 1\n".getBytes(StandardCharsets.UTF_8);
    lines[new String(lines, StandardCharsets.UTF_8).indexOf('~')] = (byte) 0xff;
    Cli shell = Cli.runWithInput(lines, "shell", dir);
    assertThat(shell.exitCode()).isEqualTo(1);
    assertThat(shell.err()).contains("line 2 of the input: it is not UTF-8").hasLineCount(1);
    assertThat(Cli.run("get", dir, "k").out()).isEqualTo("1\n");
    assertThat(Cli.run("get", dir, "bad").exitCode()).isEqualTo(1);
    assertThat(Cli.run("get", dir, "late").exitCode()).isEqualTo(1);
  }

  /** The input of the shell is its commands. */
  @ParameterizedTest
  @ValueSource(strings = {"put k -", "import", "import -"})
  void input_commandThatReadsStandardInput_isRefused(String line) throws IOException {
    String dir = Fixtures.copy("plain", temp).toString();
    String readAhead = (" ".repeat(999) + "\n").repeat(1000);
    Cli shell = Cli.runWithInput(line + "\n" + readAhead + "put last 1\n", "shell", dir);
    assertThat(shell.exitCode()).isEqualTo(2);
    assertThat(shell.err()).startsWith("kv: in the shell, standard input is the commands: ");
    assertThat(Cli.run("get", dir, "k").exitCode()).isEqualTo(1);
    assertThat(Cli.run("get", dir, "last").out()).isEqualTo("1\n");
  }

  @Test
  void input_comparator_isHandedOn() throws IOException {
    String dir = Fixtures.copy("reverse-comparator", temp).toString();
    Cli shell = Cli.runWithInput("count\nget none\n", "shell", dir, "--comparator", "reverse");
    assertThat(shell.out()).isEqualTo(Fixtures.entries("reverse-comparator").size() + "\n");
    assertThat(shell.err()).contains("no such key").doesNotContain("--comparator");
  }

  @Test
  void input_comparatorAndAKeyThatBeginsWithAHyphen_areKeptApart() throws IOException {
    String dir = Fixtures.copy("reverse-comparator", temp).toString();
    Cli shell =
        Cli.runWithInput(
            "put -- -key 1\nget -- -key\nscan --all-versions --limit 1\n",
            "shell",
            dir,
            "--comparator=reverse");
    assertThat(shell.exitCode()).as(shell.err()).isZero();
    assertThat(shell.out()).startsWith("1\n").hasLineCount(2);
  }

  @Test
  void wrongUsageAndHelp_inTheShell_nameNoDirectory() throws IOException {
    Cli shell = onPlain("get\nhelp put\nhelp nope\nscan --limit x\n");
    assertThat(shell.err())
        .contains("Missing required parameter: 'KEY'", "Usage: get [", "'help get' describes")
        .contains("no such command in the shell: nope", "kv: --limit: 'x' is not a number")
        .doesNotContain("DIR", "kv help");
    assertThat(shell.out()).contains("Usage: put [", "[VALUE]").doesNotContain("DIR", "kv put");
  }

  @Test
  void verbose_inTheShell_isOfOneLine() throws IOException {
    Cli shell = onPlain("count\ncount --verbose\ncount\n");
    assertThat(shell.exitCode()).as(shell.err()).isZero();
    assertThat(shell.err()).containsOnlyOnce("opened for reads only");
  }

  @Test
  void interrupt_commandThatRuns_endsItAndNotTheShell() throws Exception {
    Path dir = Fixtures.copy("plain", temp);
    List<String> ran = new ArrayList<>();
    byte[] typed = "count\nget key\nexit\n".getBytes(StandardCharsets.UTF_8);
    try (Terminal terminal =
        new DumbTerminal(new ByteArrayInputStream(typed), new ByteArrayOutputStream())) {
      Commands commands =
          new Commands() {
            @Override
            public int run(String name, String... args) {
              ran.add(name);
              if (name.equals("count")) {
                terminal.raise(Terminal.Signal.INT);
                assertThatThrownBy(Cancellation::check).hasMessage("cancelled");
              } else {
                Cancellation.check();
              }
              return 0;
            }

            @Override
            public List<String> near(String unknown) {
              throw new AssertionError(unknown);
            }

            @Override
            public Object create(String name) {
              throw new AssertionError(name);
            }
          };
      Shell shell = new Shell(arguments(dir.toString()), commands);
      shell.converse(Shell.reader(terminal).build());
      assertThat(shell.isLeft()).isTrue();
    }
    assertThat(ran).containsExactly("count", "get");
  }

  @ParameterizedTest
  @Tag("slow")
  @ValueSource(strings = {"scan", "count", "export", "diff", "copy", "compact", "verify", "import"})
  void cancelled_anyLongCommand_endsAndLeavesTheDatabaseWhole(String command) throws IOException {
    String dir = Fixtures.copy("snappy-levels", temp).toString();
    Path entries = Files.writeString(temp.resolve("entries"), "a\tb\n");
    String[] args =
        switch (command) {
          case "diff" -> new String[] {dir, dir};
          case "copy" -> new String[] {dir, temp.resolve("copy").toString()};
          case "import" -> new String[] {dir, entries.toString()};
          default -> new String[] {dir};
        };
    Thread.currentThread().interrupt();
    Cli cancelled = Cli.runInShell(command, args);
    Cancellation.clear();
    assertThat(cancelled.exitCode()).isEqualTo(1);
    assertThat(cancelled.err()).contains("kv: cancelled");
    assertThat(Cli.run("verify", dir).exitCode()).isZero();
    assertThat(temp.resolve("copy")).doesNotExist();
  }

  @Test
  void noDatabase_fails() {
    Cli shell = Cli.runWithInput("help\n", "shell", temp.toString());
    assertThat(shell.exitCode()).isEqualTo(1);
    assertThat(shell.err()).contains("not a database");
  }

  @Test
  void terminal_lines_areRunAndKeptInTheHistory() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path history = temp.resolve("history");
    byte[] typed = "put a 1\nput typed \"x!!\" \nhelp\nquit\n".getBytes(StandardCharsets.UTF_8);
    Shell shell = new Shell(arguments(dir.toString()), Cli.commands());
    try (Terminal terminal =
        new DumbTerminal(new ByteArrayInputStream(typed), new ByteArrayOutputStream())) {
      LineReader reader = Shell.reader(terminal).variable(LineReader.HISTORY_FILE, history).build();
      shell.converse(reader);
    }
    assertThat(shell.isLeft()).isTrue();
    assertThat(Cli.run("get", dir.toString(), "typed").out().trim()).isEqualTo("x!!");
    assertThat(Files.readString(history)).contains("put typed \"x!!\"").contains("help");
  }

  @Test
  void completer_commandsOptionsAndKeys_areFound() throws IOException {
    Path dir = Fixtures.copy("snappy-levels", temp);
    ShellCompleter completer = new ShellCompleter(arguments(dir.toString()), Cli.commands());
    assertThat(complete(completer, "co")).containsExactly("count", "copy", "compact");
    assertThat(complete(completer, "scan --re")).containsExactly("--reverse");
    assertThat(complete(completer, "get key99"))
        .contains("key990", "key999")
        .allMatch(key -> key.startsWith("key99"));
    assertThat(complete(completer, "get key")).hasSize(50);
    assertThat(complete(completer, "get \\x")).isEmpty();
    assertThat(complete(completer, "count k")).isEmpty();
    assertThat(complete(completer, "nonsense --")).isEmpty();
    Fixtures.damage(dir.resolve("CURRENT"), 2);
    assertThat(complete(completer, "get key99")).isEmpty();
  }

  private static List<String> complete(ShellCompleter completer, String line) {
    LineReader none = Shell.reader(dumb()).build();
    ParsedLine parsed = none.getParser().parse(line, line.length(), Parser.ParseContext.COMPLETE);
    List<Candidate> candidates = new ArrayList<>();
    completer.complete(none, parsed, candidates);
    return candidates.stream().map(Candidate::value).toList();
  }

  private static Terminal dumb() {
    try {
      return new DumbTerminal(new ByteArrayInputStream(new byte[0]), new ByteArrayOutputStream());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
