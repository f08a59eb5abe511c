package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands that tell of a database, and destroy. */
class InspectingCommandsTest {
  @TempDir Path temp;

  @Test
  void levels_fixture_drawsEachLevel() throws IOException {
    String dir = Fixtures.copy("snappy-levels", temp).toString();
    Cli levels = Cli.run("levels", dir, "--width", "20");
    assertThat(levels.exitCode()).as(levels.err()).isZero();
    assertThat(levels.out())
        .isEqualTo(
            """
            level  files        MiB
                0      5        0.1
                      18  |[------------------]|
                      20  |[--------------]    |
                      22  |   [---------------]|
                      24  |   [-----------]    |
                      26  |[-----------]       |
                1      1        0.0
                          |      [------------]|
                2      1        0.0
                          |      [--]          |
            keys from 'key0' to 'key999'
            """);
    assertThat(Cli.run("levels", dir, "--json").out())
        .startsWith("{\"levels\":[[{\"number\":18,\"bytes\":15065,\"smallest\":\"key0\"")
        .hasLineCount(1);
    assertThat(Cli.run("levels", dir, "--width", "0").exitCode()).isEqualTo(2);
  }

  @Test
  void levels_noTables_saysSo() throws IOException {
    String dir = Fixtures.copy("log-only", temp).toString();
    assertThat(Cli.run("levels", dir).out()).endsWith("no tables\n");
  }

  @Test
  void levels_damagedManifest_fails() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Fixtures.damage(dir.resolve("MANIFEST-000002"), 20);
    Cli levels = Cli.run("levels", dir.toString());
    assertThat(levels.exitCode()).isEqualTo(1);
    assertThat(levels.err()).contains("MANIFEST-000002").hasLineCount(1);
  }

  @Test
  void count_rangesAndAll_countKeys() throws IOException {
    String dir = Fixtures.copy("snappy-levels", temp).toString();
    assertThat(Cli.run("count", dir).out())
        .isEqualTo(Fixtures.entries("snappy-levels").size() + "\n");
    assertThat(Cli.run("count", dir, "--prefix", "key9").out()).isEqualTo(count("key9") + "\n");
    assertThat(Cli.run("count", dir, "--from", "key9", "--to", "key9").out()).isEqualTo("0\n");
    assertThat(Cli.run("count", dir, "--json").out())
        .isEqualTo("{\"count\":1507,\"keyBytes\":9704,\"valueBytes\":140663}\n");
  }

  private long count(String prefix) throws IOException {
    String hex = java.util.HexFormat.of().formatHex(prefix.getBytes());
    return Fixtures.entries("snappy-levels").stream().filter(line -> line.startsWith(hex)).count();
  }

  @Test
  void approximateSize_parts_addUpToTheTables() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    long all = Long.parseLong(Cli.run("approximate-size", dir.toString()).out().trim());
    assertThat(all).isEqualTo(Files.size(dir.resolve("000005.ldb")));
    long low = size(dir, "--to", "\\x80");
    long high = size(dir, "--from", "\\x80");
    assertThat(low).isPositive();
    assertThat(high).isPositive();
    assertThat(low + high).isEqualTo(all);
    assertThat(Cli.run("approximate-size", dir.toString(), "--json").out())
        .isEqualTo("{\"bytes\":" + all + "}\n");
  }

  private static long size(Path dir, String... range) {
    Cli cli = Cli.run("approximate-size", dir.toString(), range[0], range[1]);
    assertThat(cli.exitCode()).as(cli.err()).isZero();
    return Long.parseLong(cli.out().trim());
  }

  @Test
  void properties_allOneAndUnknown() throws IOException {
    String dir = Fixtures.copy("snappy-levels", temp).toString();
    assertThat(Cli.run("properties", dir).out())
        .contains("leveldb.num-files-at-level0: 5\n")
        .contains("leveldb.sstables:\n--- level 0 ---\n")
        .contains("leveldb.approximate-memory-usage: ");
    assertThat(Cli.run("properties", dir, "leveldb.num-files-at-level1").out()).isEqualTo("1\n");
    assertThat(Cli.run("properties", dir, "leveldb.num-files-at-level1", "--json").out())
        .isEqualTo("{\"leveldb.num-files-at-level1\":\"1\"}\n");
    Cli unknown = Cli.run("properties", dir, "rocksdb.stats");
    assertThat(unknown.exitCode()).isEqualTo(1);
    assertThat(unknown.err()).contains("no such property: rocksdb.stats");
  }

  @Test
  void stats_entries_countTombstonesAndSizes() throws IOException {
    String dir = Fixtures.copy("snappy-levels", temp).toString();
    Cli stats = Cli.run("stats", dir, "--entries");
    assertThat(stats.exitCode()).as(stats.err()).isZero();
    assertThat(stats.out())
        .startsWith("level  files        MiB\n")
        .contains("entries         4660 in tables")
        .contains("compression     ")
        .containsPattern(" 4- 7 +[0-9]+  ####");
    Cli json = Cli.run("stats", dir, "--entries", "--json");
    assertThat(json.out())
        .startsWith("{\"levels\":[{")
        .contains("\"entries\":4660,")
        .contains("\"keySizes\":[{\"from\":4,\"to\":7,\"entries\":")
        .hasLineCount(1);
    long tombstones =
        Cli.run("scan", dir, "--raw").out().lines().filter(l -> l.contains("\tdelete\t")).count();
    assertThat(tombstones).isPositive();
    assertThat(json.out()).contains("\"tombstones\":");
    assertThat(Cli.run("stats", dir).out()).doesNotContain("tombstones");
  }

  @Test
  void stats_damagedTable_saysSo() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Fixtures.damage(dir.resolve("000005.ldb"), 5000);
    Cli stats = Cli.run("stats", dir.toString(), "--entries");
    assertThat(stats.exitCode()).isEqualTo(1);
    assertThat(stats.err()).contains("damaged: 000005.ldb, offset ").hasLineCount(1);
  }

  @Test
  void destroy_needsAYes() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    String before = Fixtures.listing(dir);
    for (String answer : new String[] {"", "no\n", "y\n"}) {
      Cli refused = Cli.runWithInput(answer, "destroy", dir.toString());
      assertThat(refused.exitCode()).isEqualTo(1);
      assertThat(refused.err()).contains("nothing was destroyed");
      assertThat(Fixtures.listing(dir)).isEqualTo(before);
    }
    assertThat(Cli.runWithInput("yes\n", "destroy", dir.toString()).exitCode()).isZero();
    assertThat(dir).doesNotExist();
  }

  @Test
  void destroy_otherFiles_stay() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path mine = Files.writeString(dir.resolve("notes.txt"), "mine");
    assertThat(Cli.run("destroy", dir.toString(), "--yes").exitCode()).isZero();
    assertThat(dir).isDirectoryContaining(file -> file.equals(mine));
    assertThat(Fixtures.listing(dir)).hasLineCount(1);
    Cli again = Cli.run("destroy", dir.toString(), "--yes");
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.err()).contains("not a database");
  }

  @Test
  void destroy_lockedDatabase_fails() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    try (DB held = DB.open(dir, Options.DEFAULT)) {
      Cli destroy = Cli.run("destroy", dir.toString(), "--yes");
      assertThat(destroy.exitCode()).isEqualTo(1);
      assertThat(destroy.err()).contains("is open already");
    }
    assertThat(Cli.run("verify", dir.toString()).exitCode()).isZero();
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
}
