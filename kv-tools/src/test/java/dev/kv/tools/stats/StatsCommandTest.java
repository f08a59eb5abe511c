package dev.kv.tools.stats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatsCommandTest {
  @TempDir Path temp;

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
        Cli.run("scan", dir, "--all-versions")
            .out()
            .lines()
            .filter(l -> l.contains("\tdelete\t"))
            .count();
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
}
