package dev.kv.tools.stats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LevelsCommandTest {
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
}
