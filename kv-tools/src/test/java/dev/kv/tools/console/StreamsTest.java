package dev.kv.tools.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.tools.Child;
import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The streams of a command if standard input, standard output or the database fails. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StreamsTest {
  @TempDir Path temp;

  /** Runs a line of sh, with KV for the command. */
  private Child shell(String line) throws Exception {
    ProcessBuilder builder =
        Child.builder(List.of("sh", "-c", line.replace("KV", Cli.inShell())))
            .directory(temp.toFile());
    builder.environment().put("LC_ALL", "C.UTF-8"); // the language of the system's messages
    return Child.run(builder, temp);
  }

  @ParameterizedTest
  @ValueSource(strings = {"scan", "export", "dump", "--help"})
  @DisabledOnOs(OS.WINDOWS)
  void reader_closesThePipe_endsTheCommandWithoutAMessage(String command) throws Exception {
    String argument = command;
    if (!command.startsWith("-")) {
      Path dir = Fixtures.copy("plain", temp);
      argument = command + " " + dir.getFileName() + (command.equals("dump") ? "/000005.ldb" : "");
    }
    // The reader closes the pipe before the first line is written.
    Child run =
        shell(
            "{ until [ -e gone ]; do sleep 0.1; done; KV "
                + argument
                + "; echo $? > code; } | { exec <&-; : > gone; }; wait");
    while (!Files.exists(temp.resolve("code")) || Files.size(temp.resolve("code")) == 0) {
      Thread.onSpinWait();
    }
    assertThat(run.err()).isEmpty();
    assertThat(Files.readString(temp.resolve("code"))).isEqualTo("1\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"get plain 'KEY'", "scan plain", "stats plain", "--help"})
  void standardOutput_full_isReported(String command) throws Exception {
    assumeThat(Path.of("/dev/full")).exists();
    Path dir = Fixtures.copy("plain", temp);
    String key = Cli.run("scan", dir.toString(), "--limit", "1").out().split("\t")[0];
    Child run = shell("KV " + command.replace("KEY", key) + " > /dev/full");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualTo("kv: standard output cannot be written: No space left on device\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "get plain 'KEY'",
        "scan plain",
        "scan plain --all-versions",
        "stats plain",
        "--help",
        "--version",
        "bench --num 10 --benchmarks fillseq new"
      })
  @DisabledOnOs(OS.WINDOWS)
  void standardOutput_closed_isReported(String command) throws Exception {
    Path dir = Fixtures.copy("plain", temp);
    String key = Cli.run("scan", dir.toString(), "--limit", "1").out().split("\t")[0];
    Child run = shell("KV " + command.replace("KEY", key) + " >&-");
    assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
    assertThat(run.err()).startsWith("kv: standard output cannot be written: ").hasLineCount(1);
    assertThat(temp.resolve("new")).doesNotExist();
  }

  /** The JVM opens a file of its own in the place of the input, and that holds words. */
  @ParameterizedTest
  @ValueSource(strings = {"shell plain", "batch plain", "load plain", "destroy plain"})
  void standardInput_closed_isReported(String command) throws Exception {
    assumeThat(Path.of("/proc/self/fd/0")).exists();
    Path dir = Fixtures.copy("plain", temp);
    String before = Cli.run("scan", dir.toString()).out();
    Child run = shell("KV " + command + " <&-");
    assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
    assertThat(run.err()).endsWith("kv: standard input is closed\n");
    assertThat(run.out()).isEmpty();
    assertThat(Cli.run("scan", dir.toString()).out()).isEqualTo(before);
  }

  /** As in a native image. */
  @Test
  void standardInput_withoutAHomeOfTheJvm_isReturned() {
    String home = System.clearProperty("java.home");
    try {
      assertThat(StandardStreams.input()).isSameAs(System.in);
    } finally {
      System.setProperty("java.home", home);
    }
  }

  /** A console as JDK 22 and later have it. */
  record NewerConsole(boolean isTerminal) {}

  @Test
  void isTerminal_withoutAFile_isWhatTheConsoleSays() {
    NewerConsole terminal = new NewerConsole(true);
    NewerConsole redirected = new NewerConsole(false);
    assertThat(StandardStreams.isTerminal(null, NewerConsole.class, terminal)).isTrue();
    assertThat(StandardStreams.isTerminal(null, NewerConsole.class, redirected)).isFalse();
    assertThat(StandardStreams.isTerminal(null, NewerConsole.class, null)).isFalse();
    assertThat(StandardStreams.isTerminal(null, Object.class, new Object())).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"/dev/pts/0, true", "/dev/tty, true", "/dev/null, false", "pipe:[7], false"})
  @DisabledOnOs(OS.WINDOWS)
  void isTerminal_withAFile_isWhatItsNameSays(Path file, boolean terminal) {
    NewerConsole console = new NewerConsole(!terminal);
    assertThat(StandardStreams.isTerminal(file, NewerConsole.class, console)).isEqualTo(terminal);
  }

  @Test
  void wrongUsage_isReportedInAFewLines() {
    Cli missing = Cli.run("get", "dir");
    assertThat(missing.err().lines())
        .containsExactly(
            "kv: Missing required parameter: 'KEY'",
            "Usage: kv get [-hV] [--hex] [--json] [--raw] [--utf8] [--verbose]",
            "              [--comparator=<order>] DIR KEY",
            "'kv help get' describes the command");
    assertThat(Cli.run("scan", "dir", "--limit", "\u001b[2J").err())
        .startsWith("kv: --limit: '\\x1b[2J' is not a number")
        .doesNotContain("\u001b");
    assertThat(Cli.run("nonsense").err()).startsWith("kv: no such command: nonsense");
  }

  @Test
  void failures_nameWhatToDoAndTheirCause() throws IOException {
    String absent = temp.resolve("absent").toString();
    for (String command : new String[] {"put", "batch"}) {
      String[] words =
          command.equals("put")
              ? new String[] {"put", absent, "k", "v"}
              : new String[] {"batch", absent};
      assertThat(Cli.run(words).err())
          .contains(": no such directory; --create creates a database there")
          .hasLineCount(1);
    }
    assertThat(Cli.run("get", absent, "k").err()).doesNotContain("--create");
    IOException cause = new AccessDeniedException("db/000005.ldb");
    assertThat(FailureText.describe(new DBIOException("the write failed", cause)))
        .isEqualTo("the write failed: db/000005.ldb: permission denied");
    assertThat(Cli.run("import", absent, temp.toString(), "--create").err())
        .contains("is a directory; name a file");
    assertThat(Path.of(absent)).doesNotExist();
    for (String line : new String[] {"key value", "6 7", "61 6x", "61"}) {
      assertThat(Cli.runWithInput(line + "\n", "load", absent, "--create", "--format=hex").err())
          .startsWith("kv: line 1 of the input: expected ")
          .hasLineCount(1);
    }
  }

  @Test
  void messagesOfTheLibrary_nameNothingOfTheApi() throws IOException {
    Pattern api = Pattern.compile("(DB|Options|ReadOptions)\\.[a-z]\\w*");
    Pattern literal = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
    StringBuilder found = new StringBuilder();
    try (Stream<Path> sources = Files.walk(Path.of("../kv-core/src/main/java"))) {
      for (Path source : sources.filter(file -> file.toString().endsWith(".java")).toList()) {
        String text = Files.readString(source).replaceAll("\"\\s*\\+\\s*\"", "");
        Matcher literals = literal.matcher(text);
        while (literals.find()) {
          if (api.matcher(literals.group(1)).find()) {
            found.append(literals.group(1)).append('\n');
          }
        }
      }
    }
    assertThat(found.toString().lines()).hasSizeGreaterThan(8);
    assertThat(found.toString().lines().map(FailureText::inShellWords))
        .filteredOn(message -> api.matcher(message).find())
        .as("what no command can meet")
        .allMatch(
            message ->
                message.contains("offHeapLimit")
                    || message.contains("errorIfExists")
                    || message.contains("logRetention")
                    || message.equals("the database was opened with DB.openReadOnly"));
  }

  @Test
  void failures_areReportedWithARemedy() throws IOException {
    assertThat(FailureText.describe(new CorruptionException("a bad block", "f.ldb", 7)))
        .isEqualTo(
            "a bad block (file f.ldb, offset 7); 'kv verify' lists the damage, 'kv repair' keeps"
                + " the rest");
    OutOfMemoryError none = new OutOfMemoryError("Cannot reserve 9 bytes of direct buffer memory");
    assertThat(FailureText.describe(new OffHeapExhaustedException("no room for 9 bytes", none)))
        .isEqualTo(
            "no room for 9 bytes; give the JVM more memory: JAVA_OPTS=-XX:MaxDirectMemorySize=4g"
                + " kv ...");
    IOException cause = new AccessDeniedException("db/LOCK");
    assertThat(FailureText.describe(new DBIOException("cannot open db: " + cause, cause)))
        .isEqualTo("cannot open db: db/LOCK: permission denied");
    assertThat(
            FailureText.describe(
                new DBReadOnlyException(
                    "db is read-only since an earlier failure, given as the cause: no write",
                    new DBIOException("cannot sync 000005.log: " + cause, cause))))
        .isEqualTo(
            "db is read-only since an earlier failure: no write: cannot sync 000005.log: db/LOCK:"
                + " permission denied");
    Path file = Files.writeString(temp.resolve("file"), "");
    for (String command :
        new String[] {"import", "load", "batch --create", "get", "scan", "verify"}) {
      List<String> words = new ArrayList<>(List.of(command.split(" ")));
      words.add(file.toString());
      if (command.equals("get")) {
        words.add("k");
      }
      Cli cli = Cli.run(words.toArray(String[]::new));
      assertThat(cli.exitCode()).as(command).isEqualTo(1);
      assertThat(cli.err()).isEqualTo("kv: " + file + ": not a directory" + System.lineSeparator());
    }
    Path lost = Fixtures.copy("plain", temp);
    Files.delete(lost.resolve("CURRENT"));
    assertThat(Cli.run("get", lost.toString(), "k").err()).contains("'kv repair'").hasLineCount(1);
    assertThat(Cli.run("repair", lost.toString()).exitCode()).isZero();
    assertThat(Cli.run("count", lost.toString()).out()).isEqualTo("600\n");
    assertThat(Cli.run("verify", Files.createDirectory(temp.resolve("e")).toString()).err())
        .contains("not a database");
  }

  @Test
  void keysOfAnyKind_arePrintedAndTakenBack() {
    String dir = temp.resolve("db").toString();
    String[] keys = {
      "", "k".repeat(100_000), "\\x1b[31mred\\x0a", "\\xff\\xfe", "a b\tc", "\u00fc"
    };
    for (String key : keys) {
      assertThat(Cli.run("put", dir, key, key, "--create").exitCode()).isZero();
    }
    Cli scan = Cli.run("scan", dir);
    assertThat(scan.out()).matches("[ -~\t\n]*").hasLineCount(keys.length);
    scan.out()
        .lines()
        .map(line -> line.split("\t", -1)[0])
        .forEach(
            key ->
                assertThat(Cli.run("get", dir, key).out()).isEqualTo(key + System.lineSeparator()));
    assertThat(Cli.run("get", dir, "\\x1b[2J").err()).contains("\\x1b[2J").hasLineCount(1);
    assertThat(Cli.run("get", dir, "\u001b[2J").err()).doesNotContain("\u001b");
  }
}
