package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandsTest {
  @TempDir Path temp;

  private String database() {
    String dir = temp.resolve("db").toString();
    Cli load =
        Cli.runWithInput(
            "6131 7631\n6132 7632\n62 \n 7a\nff00 0a\n", "load", dir, "--format", "hex");
    assertThat(load.exitCode()).as(load.err()).isZero();
    return dir;
  }

  @Test
  void scan_hex_isTheInverseOfLoad() {
    Cli scan = Cli.run("scan", database(), "--format", "hex");
    assertThat(scan.exitCode()).as(scan.err()).isZero();
    assertThat(scan.out()).isEqualTo(" 7a\n6131 7631\n6132 7632\n62 \nff00 0a\n");
    assertThat(scan.err()).isEmpty();
  }

  @Test
  void scan_boundsReverseAndLimit_areKept() {
    String dir = database();
    assertThat(Cli.run("scan", dir, "--from", "a2", "--to", "c").out()).isEqualTo("a2\tv2\nb\t\n");
    assertThat(Cli.run("scan", dir, "--prefix", "a", "--reverse").out())
        .isEqualTo("a2\tv2\na1\tv1\n");
    assertThat(Cli.run("scan", dir, "--limit", "1", "--reverse", "--format", "json").out())
        .isEqualTo("{\"key\":\"\\\\xff\\\\x00\",\"value\":\"\\\\x0a\"}\n");
  }

  @Test
  void putGetDelete_oneKey_roundTrip() {
    String dir = database();
    assertThat(Cli.run("put", dir, "k\\x00", "v\\xff").exitCode()).isZero();
    assertThat(Cli.run("get", dir, "k\\x00").out()).isEqualTo("v\\xff" + System.lineSeparator());
    assertThat(Cli.run("delete", dir, "k\\x00").exitCode()).isZero();
    Cli gone = Cli.run("get", dir, "k\\x00");
    assertThat(gone.exitCode()).isEqualTo(1);
    assertThat(gone.err()).isEqualTo("kv: no such key: k\\x00" + System.lineSeparator());
  }

  @Test
  void readingCommands_closedDatabase_changeNothing() throws IOException {
    String dir = database();
    Files.delete(Path.of(dir, "LOCK"));
    String before = Fixtures.listing(Path.of(dir));
    Cli.run("get", dir, "a1");
    Cli.run("scan", dir);
    Cli.run("scan", dir, "--raw");
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

  @Test
  void compact_database_printsLevels() {
    Cli compact = Cli.run("compact", database());
    assertThat(compact.exitCode()).as(compact.err()).isZero();
    assertThat(compact.out()).startsWith("level  files");
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
  void wrongUsage_exitsTwo() {
    assertThat(Cli.run().exitCode()).isEqualTo(2);
    assertThat(Cli.run("nonsense").exitCode()).isEqualTo(2);
    assertThat(Cli.run("get", "dir").exitCode()).isEqualTo(2);
    assertThat(Cli.run("scan", "dir", "--raw", "--reverse").exitCode()).isEqualTo(2);
    assertThat(Cli.run("scan", "dir", "--limit", "-1").exitCode()).isEqualTo(2);
    assertThat(Cli.run("scan", "dir", "--format", "xml").exitCode()).isEqualTo(2);
    assertThat(Cli.run("--help").exitCode()).isZero();
  }

  @Test
  void load_malformedLine_isNamed() {
    Cli load = Cli.runWithInput("6131 7631\nzz 00\n", "load", temp.resolve("new").toString());
    assertThat(load.exitCode()).isEqualTo(1);
    assertThat(load.err()).contains("line 2");
  }

  @Test
  void reverseComparator_needsItsFlag() {
    String dir = temp.resolve("reverse").toString();
    Cli load = Cli.runWithInput("61 31\n62 32\n", "load", dir, "--comparator", "reverse");
    assertThat(load.exitCode()).as(load.err()).isZero();
    Cli without = Cli.run("scan", dir);
    assertThat(without.exitCode()).isEqualTo(1);
    assertThat(without.err()).contains("kv.ReverseBytewiseComparator");
    assertThat(Cli.run("scan", dir, "--comparator", "reverse").out()).isEqualTo("b\t2\na\t1\n");
    assertThat(Cli.run("scan", dir, "--raw").out()).contains("put\ta\t1").contains("put\tb\t2");
  }

  @Test
  void demo_small_verifiesAndStays() {
    String dir = temp.resolve("demo").toString();
    Cli demo = Cli.run("demo", dir, "--entries", "5000");
    assertThat(demo.exitCode()).as(demo.err()).isZero();
    assertThat(demo.out()).contains("Every entry read was as written");
    assertThat(Cli.run("get", dir, "0000000000000042").exitCode()).isZero();
    assertThat(Cli.run("demo", dir).exitCode()).isEqualTo(1);
  }

  @Test
  void demo_withAHeapOf64MiB_runsAndIsSilentOnStandardError() throws Exception {
    List<String> command = Cli.inProcess("-Xmx64m");
    command.addAll(List.of("demo", temp.resolve("demo").toString(), "--entries", "200000"));
    Process child =
        new ProcessBuilder(command)
            .redirectOutput(temp.resolve("out").toFile())
            .redirectError(temp.resolve("err").toFile())
            .start();
    assertThat(child.waitFor(3, TimeUnit.MINUTES)).isTrue();
    assertThat(Files.readString(temp.resolve("err"))).isEmpty();
    assertThat(child.exitValue()).isZero();
    assertThat(Files.readString(temp.resolve("out"))).contains("Every entry read was as written");
  }
}
