package dev.kv.tools.stats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
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

  /** The message names the file with its directory, the offset, and what to do. */
  @Test
  void levels_damagedManifest_fails() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path manifest = dir.resolve("MANIFEST-000002");
    Fixtures.damage(manifest, 20);
    expectDamage(dir, "checksum mismatch, .* bytes", manifest + ", offset 0");
    Files.write(manifest, new byte[0]);
    expectDamage(dir, "its edits do not set all that an open needs", manifest.toString());
    Files.delete(manifest);
    expectDamage(dir, "the file is missing", manifest.toString());
    Files.writeString(dir.resolve("CURRENT"), "");
    expectDamage(dir, "CURRENT does not end in a newline", dir.resolve("CURRENT") + ", offset 0");
  }

  private static void expectDamage(Path dir, String reason, String place) {
    String advice = "'kv verify' lists the damage, 'kv repair' keeps the rest";
    for (Cli cli :
        List.of(
            Cli.run("levels", dir.toString()),
            Cli.run("stats", dir.toString(), "--watch", "--count", "1"))) {
      assertThat(cli.exitCode()).as(cli.out()).isEqualTo(1);
      assertThat(cli.err())
          .matches("kv: " + reason + " \\(file " + Pattern.quote(place) + "\\); " + advice + "\\R");
    }
  }

  @Test
  void levels_databaseOfRocksDb_saysWhatOpensIt() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Files.write(
        dir.resolve("MANIFEST-000002"), Fixtures.record(new byte[] {2, 0, (byte) 200, 1, 1, 0}));
    Cli levels = Cli.run("levels", dir.toString(), "--comparator=bytewise");
    assertThat(levels.exitCode()).isEqualTo(1);
    assertThat(levels.err()).contains("open it with RocksDB").doesNotContain("repair");
  }

  @Test
  void levels_longKeyOfBytes_isCutBetweenEscapes() throws IOException {
    Path dir = temp.resolve("db");
    try (DB db = DB.open(dir, Options.builder().createIfMissing(true).build())) {
      db.put("\\".repeat(40).getBytes(StandardCharsets.US_ASCII), new byte[1]);
      db.put(new byte[40], new byte[1]);
      db.admin().flush();
    }
    String zeros = "\\x00".repeat(7);
    String backslashes = "\\x5c".repeat(7);
    assertThat(Cli.run("levels", dir.toString()).out())
        .endsWith("keys from '" + zeros + "...' to '" + backslashes + "...'\n");
  }
}
