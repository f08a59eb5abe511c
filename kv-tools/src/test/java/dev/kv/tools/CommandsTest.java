package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds of many commands alike. */
class CommandsTest {
  @TempDir Path temp;

  private String database() {
    String dir = temp.resolve("db").toString();
    Cli load =
        Cli.runWithInput(
            "6131 7631\n6132 7632\n62 \n 7a\nff00 0a\n",
            "load",
            dir,
            "--create",
            "--format",
            "hex");
    assertThat(load.exitCode()).as(load.err()).isZero();
    return dir;
  }

  @Test
  void readingCommands_closedDatabase_changeNothing() throws IOException {
    String dir = database();
    Files.delete(Path.of(dir, "LOCK"));
    String before = Fixtures.listing(Path.of(dir));
    Cli.run("get", dir, "a1");
    Cli.run("scan", dir);
    Cli.run("scan", dir, "--all-versions");
    assertThat(Cli.run("stats", dir).out()).startsWith("level  files");
    assertThat(Fixtures.listing(Path.of(dir))).isEqualTo(before);
  }

  @Test
  void writingCommands_lockedDatabase_failAndReadingOnesDoNot() {
    String dir = database();
    try (DB held = DB.open(Path.of(dir), Options.DEFAULT)) {
      Cli put = Cli.run("put", dir, "a", "b");
      assertThat(put.exitCode()).isEqualTo(1);
      assertThat(put.err())
          .contains("is open already in another process: close it there; commands that only read")
          .hasLineCount(1);
      assertThat(Cli.run("get", dir, "a1").out()).isEqualTo("v1" + System.lineSeparator());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"get", "put", "delete", "scan", "stats", "compact"})
  void anyCommand_noDatabase_isOneLineAndExitOne(String command) {
    String[] args =
        switch (command) {
          case "get", "delete" -> new String[] {command, temp.toString(), "k"};
          case "put" -> new String[] {command, temp.toString(), "k", "v"};
          default -> new String[] {command, temp.toString()};
        };
    Cli empty = Cli.run(args);
    assertThat(empty.exitCode()).isEqualTo(1);
    assertThat(empty.err().lines()).hasSize(1);
    assertThat(empty.err()).contains("not a database");
    args[1] = temp.resolve("absent").toString();
    Cli absent = Cli.run(args);
    assertThat(absent.exitCode()).isEqualTo(1);
    assertThat(absent.err()).contains("no such directory").contains("absent");
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a privilege there")
  void currentThatCannotBeLookedAt_isNoMissingDatabase() throws IOException {
    Path dir = Path.of(database());
    Path current = dir.resolve("CURRENT");
    Files.delete(current);
    Files.createSymbolicLink(current, current);
    for (String command : new String[] {"scan", "stats", "compact"}) {
      Cli run = Cli.run(command, dir.toString());
      assertThat(run.exitCode()).as(command).isEqualTo(1);
      assertThat(run.err()).as(command).contains("CURRENT: ").doesNotContain("no file CURRENT");
    }
  }

  @Test
  void corruptFiles_areNamed() throws IOException {
    String dir = database();
    Files.writeString(Path.of(dir, "CURRENT"), "../MANIFEST-000002\n");
    Cli scan = Cli.run("scan", dir);
    assertThat(scan.exitCode()).isEqualTo(1);
    assertThat(scan.err()).contains("CURRENT").doesNotContain("\tat ");
    assertThat(scan.err().lines()).hasSize(1);
    assertThat(Cli.run("scan", dir, "--verbose").err()).contains("\tat ");
  }

  @Test
  void damagedManifest_whereTheOrderIsAskedFor_isNamedWithWhatToDo() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path manifest = dir.resolve("MANIFEST-000002");
    Fixtures.damage(manifest, 15);
    Cli scan = Cli.run("scan", dir.toString(), "--comparator", "bytewise");
    assertThat(scan.exitCode()).isEqualTo(1);
    assertThat(scan.err())
        .contains("checksum mismatch (file " + manifest + ", offset 0)", "'kv repair'")
        .hasLineCount(1);
  }

  @Test
  void wrongUsage_exitsTwo() {
    assertThat(Cli.run().exitCode()).isEqualTo(2);
    assertThat(Cli.run("nonsense").exitCode()).isEqualTo(2);
    assertThat(Cli.run("get", "dir").exitCode()).isEqualTo(2);
    assertThat(Cli.run("scan", "dir", "--all-versions", "--reverse").exitCode()).isEqualTo(2);
    assertThat(Cli.run("scan", "dir", "--limit", "-1").exitCode()).isEqualTo(2);
    assertThat(Cli.run("scan", "dir", "--format", "xml").exitCode()).isEqualTo(2);
    assertThat(Cli.run("generate-completion", "extra").exitCode()).isEqualTo(2);
    assertThat(Cli.run("generate-man", "extra").exitCode()).isEqualTo(2);
    assertThat(Cli.run("--help").exitCode()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "count",
        "approximate-size",
        "properties",
        "levels",
        "verify",
        "repair",
        "destroy"
      })
  void anyCommand_noDirectory_isOneLineAndExitOne(String command) {
    Cli absent = Cli.run(command, temp.resolve("abs\u001bent").toString());
    assertThat(absent.exitCode()).isEqualTo(1);
    assertThat(absent.err()).contains("abs\\x1bent: no such directory").hasLineCount(1);
    assertThat(Cli.run(command).exitCode()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"count", "approximate-size", "properties", "levels"})
  void readingCommand_openDatabase_readsItAndChangesNothing(String command) throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    try (DB held = DB.open(dir, Options.DEFAULT)) {
      String before = Fixtures.listing(dir);
      Cli read = Cli.run(command, dir.toString());
      assertThat(read.exitCode()).as(read.err()).isZero();
      assertThat(Fixtures.listing(dir)).isEqualTo(before);
    }
  }

  @Test
  void writingCommands_lockedDatabase_fail() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    try (DB held = DB.open(dir, Options.DEFAULT)) {
      for (String command : new String[] {"batch", "import"}) {
        String entry = command.equals("batch") ? "put k v" : "k\tv";
        Cli cli = Cli.runWithInput(entry, command, dir.toString());
        assertThat(cli.exitCode()).isEqualTo(1);
        assertThat(cli.err()).contains("is open already");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"get", "put", "backup", "backup create", "verify", "shell"})
  void version_ofACommand_isThatOfKv(String command) {
    String version = Cli.run("--version").out();
    assertThat(version).startsWith("kv ");
    for (String option : List.of("--version", "-V")) {
      Cli run = Cli.run((command + " " + option).split(" "));
      assertThat(run.exitCode()).isZero();
      assertThat(run.out()).isEqualTo(version);
    }
  }

  @Test
  void verbose_afterTheEndOfTheOptions_isAKey() {
    String dir = temp.resolve("db").toString();
    Cli put = Cli.run("put", dir, "--create", "--", "--verbose", "yes");
    assertThat(put.exitCode()).as(put.err()).isZero();
    assertThat(put.err()).isEmpty();
    Cli get = Cli.runInShell("get", dir, "--", "--verbose");
    assertThat(get.out()).as(get.err()).isEqualTo("yes\n");
    assertThat(Cli.run("get", dir, "--verbose", "--", "--verbose").err()).isNotEmpty();
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "its shell opens no directory")
  void put_ofAStandardInputThatCannotBeRead_saysSo() throws Exception {
    Child put = inShell(Cli.inShell() + " put db k - --create < .");
    assertThat(put.exitCode()).isEqualTo(1);
    assertThat(put.err()).contains("kv: cannot read standard input: Is a directory");
    assertThat(temp.resolve("db")).doesNotExist();
  }

  /** A limit of the size of a file fails a write as a full disk does. */
  @ParameterizedTest
  @ValueSource(strings = {"put db k --create --file input", "batch db --create < input"})
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "it has no such limit")
  void write_thatCreatesADatabaseAndFails_namesTheFileAndLeavesNothing(String command)
      throws Exception {
    Files.writeString(temp.resolve("input"), "put k " + "v".repeat(4 << 20));
    Child write = inShell("ulimit -f 200; " + Cli.inShell() + " " + command);
    assertThat(write.exitCode()).as(write.err()).isEqualTo(1);
    assertThat(write.err()).contains("File too large").containsPattern("db/\\d+\\.log");
    assertThat(temp.resolve("db")).doesNotExist();
  }

  private Child inShell(String words) throws Exception {
    return Child.run(Child.builder(List.of("sh", "-c", words)).directory(temp.toFile()), temp);
  }
}
