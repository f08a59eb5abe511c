package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.Options;
import dev.kv.table.TableWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code --json} of the commands that change a database and print what they did. */
class JsonResultTest {
  @TempDir Path temp;

  @Test
  void copyImportIngestCompact_withJson_printOneObject() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    int count = Fixtures.entries("plain").size();
    assertThat(run("copy", dir, temp.resolve("copy"), "--json"))
        .isEqualTo("{\"entries\":" + count + "}\n");
    Path input = Files.writeString(temp.resolve("in"), "{\"key\":\"k\",\"value\":\"v\"}\n");
    assertThat(run("import", dir, input, "--json")).isEqualTo("{\"entries\":1}\n");
    Path table = temp.resolve("table.ldb");
    try (TableWriter writer = TableWriter.forIngest(table, Options.DEFAULT)) {
      writer.put(new byte[] {'z', 'z'}, new byte[0]);
      writer.finish();
    }
    assertThat(run("ingest", dir, table, "--json")).isEqualTo("{\"tables\":1}\n");
    assertThat(run("compact", dir, "--json"))
        .matches("\\{\"levels\":\\[(\\{\"files\":\\d+,\"bytes\":\\d+},?)+]}\n");
  }

  @Test
  void restoreAndPrune_withJson_printAnObjectForEachBackup() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path backups = temp.resolve("backups");
    run("backup", "create", dir, backups);
    run("put", dir, "key", "value");
    run("backup", "create", dir, backups);
    assertThat(run("backup", "restore", backups, temp.resolve("restored"), "--json"))
        .startsWith("{\"backup\":2,")
        .hasLineCount(1);
    assertThat(run("backup", "prune", backups, "--keep", "1", "--json"))
        .startsWith("{\"backup\":1,")
        .hasLineCount(1);
  }

  /** The memory of the command itself says nothing of the database. */
  @Test
  void stats_ofADatabase_leaveOutTheCommandsOwnMemory() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    assertThat(run("stats", dir)).contains("last sequence").doesNotContain("off-heap", "mapped");
    assertThat(run("stats", dir, "--json"))
        .contains("\"lastSequence\"")
        .doesNotContain("memtableBytes", "openTables");
  }

  private static String run(Object... args) {
    String[] texts = new String[args.length];
    for (int i = 0; i < args.length; i++) {
      texts[i] = args[i].toString();
    }
    Cli done = Cli.run(texts);
    assertThat(done.exitCode()).as(done.err()).isZero();
    return done.out();
  }
}
