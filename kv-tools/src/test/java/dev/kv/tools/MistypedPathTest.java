package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every command that writes, deletes, moves or replaces files, with the path of something else: of
 * a directory of documents, of one with a directory {@code files}, of a link to either, and of a
 * file; and every command with a path that does not exist, or with an empty one. It fails, and
 * everything stays as it was.
 */
class MistypedPathTest {
  @TempDir Path temp;

  /** The words DB, BACKUPS, WRONG, NEW stand for paths; NEW.partial is the wrong one. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "destroy WRONG --yes",
        "repair WRONG",
        "compact WRONG",
        "delete WRONG --from a",
        "backup prune WRONG --keep 1",
        "backup create DB WRONG",
        "backup restore BACKUPS WRONG",
        "backup restore BACKUPS NEW",
        "copy DB WRONG",
        "copy DB NEW",
        "demo WRONG --entries 10",
        "bench WRONG --num 10",
        "put WRONG k v",
        "delete WRONG k",
        "batch WRONG",
        "load WRONG",
        "load WRONG --sort",
        "import WRONG",
        "ingest WRONG TABLE",
        "report DB --output WRONG",
      })
  void command_withAMistypedPath_failsAndChangesNothing(String command) throws IOException {
    Path db = Fixtures.copy("plain", temp);
    Path backups = temp.resolve("backups");
    assertThat(Cli.run("backup", "create", db.toString(), backups.toString()).exitCode()).isZero();
    Path mine = Files.createDirectories(temp.resolve("mine"));
    Files.createDirectories(mine.resolve("files/2026"));
    Files.createDirectories(mine.resolve("lost"));
    for (String name :
        List.of("letter.txt", "LOCK", "files/holiday.jpg", "files/2026/a.jpg", "lost/b.txt")) {
      Files.writeString(mine.resolve(name), name);
    }
    List<Path> wrong =
        List.of(
            mine,
            Files.createSymbolicLink(temp.resolve("link"), mine),
            mine.resolve("files"),
            mine.resolve("letter.txt"));
    String before = tree(mine);
    String databaseBefore = tree(db);
    Path partial = temp.resolve("new.partial");
    for (Path path : wrong) {
      boolean isPartial = command.contains("NEW");
      if (isPartial) {
        Files.createSymbolicLink(partial, path);
      }
      String[] words =
          Cli.words(
              command,
              Map.of(
                  "DB",
                  db.toString(),
                  "BACKUPS",
                  backups.toString(),
                  "WRONG",
                  path.toString(),
                  "NEW",
                  temp.resolve("new").toString(),
                  "TABLE",
                  table(db)));
      Cli run = Cli.runWithInput(input(command), words);
      assertThat(run.exitCode()).as("%s: %s", Arrays.toString(words), run.out()).isEqualTo(1);
      assertThat(run.err()).as(Arrays.toString(words)).hasLineCount(1);
      if (isPartial) {
        Files.delete(partial);
      }
      assertThat(tree(mine)).as(Arrays.toString(words)).isEqualTo(before);
      assertThat(tree(db)).as(Arrays.toString(words)).isEqualTo(databaseBefore);
    }
    if (command.contains("NEW")) {
      Files.move(mine, partial);
      Cli run =
          Cli.run(
              Cli.words(
                  command,
                  Map.of(
                      "DB",
                      db.toString(),
                      "BACKUPS",
                      backups.toString(),
                      "NEW",
                      temp.resolve("new").toString())));
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(tree(partial)).isEqualTo(before);
    }
  }

  /** Nothing is created on the way to a database that does not exist. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "get MISSING k",
        "put MISSING k v",
        "delete MISSING k",
        "delete MISSING --from a",
        "scan MISSING",
        "count MISSING",
        "batch MISSING",
        "load MISSING",
        "load MISSING --sort",
        "import MISSING",
        "ingest MISSING TABLE",
        "export MISSING",
        "copy MISSING NEW",
        "diff MISSING DB",
        "diff DB MISSING",
        "backup create MISSING NEW",
        "backup list MISSING",
        "backup verify MISSING",
        "backup prune MISSING --keep 1",
        "backup restore MISSING NEW",
        "stats MISSING",
        "levels MISSING",
        "properties MISSING",
        "approximate-size MISSING",
        "compact MISSING",
        "report MISSING --output NEW",
        "verify MISSING",
        "repair MISSING",
        "dump MISSING",
        "destroy MISSING --yes",
      })
  void command_withAPathThatDoesNotExist_failsAndCreatesNothing(String command) throws IOException {
    Path db = Fixtures.copy("plain", temp);
    String before = tree(temp);
    for (String missing : List.of("missing", "missing/db")) {
      String[] words =
          Cli.words(
              command,
              Map.of(
                  "DB",
                  db.toString(),
                  "MISSING",
                  temp.resolve(missing).toString(),
                  "NEW",
                  temp.resolve("new").toString(),
                  "TABLE",
                  table(db)));
      Cli run = Cli.runWithInput(input(command), words);
      assertThat(run.exitCode()).as("%s: %s", Arrays.toString(words), run.out()).isNotZero();
      assertThat(run.err()).as(Arrays.toString(words)).contains("missing").hasLineCount(1);
      assertThat(tree(temp)).as(Arrays.toString(words)).isEqualTo(before);
    }
  }

  /** To open one waits until another process opens its other end. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "get PIPE k",
        "put PIPE k v",
        "scan PIPE",
        "count PIPE",
        "export PIPE",
        "stats PIPE",
        "stats PIPE --entries",
        "levels PIPE",
        "verify PIPE",
        "repair PIPE",
        "compact PIPE",
        "destroy PIPE --yes",
        "backup create PIPE NEW",
        "backup list PIPE",
      })
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "it has no pipes in directories")
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void command_withANamedPipe_fails(String command) throws Exception {
    Path pipe = temp.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    String fresh = temp.resolve("new").toString();
    Cli run = Cli.run(Cli.words(command, Map.of("PIPE", pipe.toString(), "NEW", fresh)));
    assertThat(run.exitCode()).as(run.out()).isEqualTo(1);
    assertThat(run.err()).contains("pipe").hasLineCount(1);
  }

  /** As a link to a disk that is not mounted: it is not replaced, deleted or written through. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "put LINK k v",
        "load LINK",
        "backup create DB LINK",
        "backup restore BACKUPS LINK",
        "backup restore BACKUPS NEW",
        "copy DB LINK",
        "copy DB NEW",
        "demo LINK --entries 10",
        "bench LINK --num 10",
        "report DB --output LINK",
        "report DB --output NEW",
      })
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a privilege there")
  void command_withALinkThatLeadsNowhere_failsAndChangesNothing(String command) throws IOException {
    Path db = Fixtures.copy("plain", temp);
    Path backups = temp.resolve("backups");
    assertThat(Cli.run("backup", "create", db.toString(), backups.toString()).exitCode()).isZero();
    Path link = Files.createSymbolicLink(temp.resolve("link"), temp.resolve("unmounted"));
    Files.createSymbolicLink(temp.resolve("new.partial"), temp.resolve("unmounted"));
    String before = tree(temp);
    String[] words =
        Cli.words(
            command,
            Map.of(
                "DB",
                db.toString(),
                "BACKUPS",
                backups.toString(),
                "LINK",
                link.toString(),
                "NEW",
                temp.resolve("new").toString()));
    Cli run = Cli.runWithInput(input(command), words);
    assertThat(run.exitCode()).as("%s: %s", command, run.out()).isEqualTo(1);
    assertThat(run.err())
        .as(command)
        .contains(command.contains("NEW") ? "new.partial" : link.toString())
        .hasLineCount(1);
    assertThat(tree(temp)).as(command).isEqualTo(before);
  }

  @Test
  void bench_inADirectoryThatDoesNotExist_failsAndCreatesNothing() throws IOException {
    Path missing = temp.resolve("missing");
    Cli cli = Cli.run("bench", missing.resolve("db").toString(), "--num", "10");
    assertThat(cli.exitCode()).as(cli.out()).isEqualTo(1);
    assertThat(cli.err()).contains("its parent directory does not exist").hasLineCount(1);
    assertThat(missing).doesNotExist();
  }

  /** The word EMPTY stands for a path of no characters, such as that of an unset variable. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "get EMPTY k",
        "put EMPTY k v",
        "put DB k --file EMPTY",
        "scan EMPTY",
        "import DB EMPTY",
        "ingest DB EMPTY",
        "copy DB EMPTY",
        "diff DB EMPTY",
        "backup create DB EMPTY",
        "backup prune EMPTY --keep 1",
        "backup restore EMPTY NEW",
        "backup restore BACKUPS EMPTY",
        "compact EMPTY",
        "report DB --output EMPTY",
        "repair EMPTY",
        "dump EMPTY",
        "shell DB --history EMPTY",
        "bench EMPTY --num 10",
        "demo EMPTY --entries 10",
        "destroy EMPTY --yes",
      })
  void command_withAnEmptyPath_isWrongUsage(String command) throws IOException {
    Path db = Fixtures.copy("plain", temp);
    String before = tree(temp);
    String[] words =
        Cli.words(
            command,
            Map.of(
                "EMPTY",
                "",
                "DB",
                db.toString(),
                "BACKUPS",
                temp.resolve("other").toString(),
                "NEW",
                temp.resolve("other").toString()));
    Cli run = Cli.run(words);
    assertThat(run.exitCode()).as("%s: %s", command, run.err()).isEqualTo(2);
    assertThat(run.err())
        .contains(": '' is not a file name; . is the working directory")
        .doesNotContain("Invalid");
    assertThat(tree(temp)).isEqualTo(before);
  }

  private static String input(String command) {
    return command.startsWith("batch") ? "put k v\n" : "k\tv\n";
  }

  /** Returns the path of a table of a database. */
  private static String table(Path db) throws IOException {
    try (Stream<Path> files = Files.list(db)) {
      return files
          .filter(file -> file.toString().endsWith(".ldb") || file.toString().endsWith(".sst"))
          .findFirst()
          .orElse(db.resolve("none.ldb"))
          .toString();
    }
  }

  private static String tree(Path directory) throws IOException {
    StringBuilder text = new StringBuilder();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted().toList()) {
        text.append(directory.relativize(file));
        text.append(
            Files.isRegularFile(file) ? ": " + Arrays.hashCode(Files.readAllBytes(file)) : "/");
        text.append('\n');
      }
    }
    return text.toString();
  }
}
