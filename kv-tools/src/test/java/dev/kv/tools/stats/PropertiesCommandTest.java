package dev.kv.tools.stats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PropertiesCommandTest {
  @TempDir Path temp;

  @Test
  void properties_allOneAndUnknown() throws IOException {
    String dir = Fixtures.copy("snappy-levels", temp).toString();
    assertThat(Cli.run("properties", dir).out())
        .contains("leveldb.num-files-at-level0: 5\n")
        .contains("leveldb.sstables:\n--- level 0 ---\n")
        .doesNotContain("leveldb.approximate-memory-usage")
        .doesNotContain("kv.lookups");
    assertThat(Cli.run("properties", dir, "leveldb.approximate-memory-usage", "kv.stats").out())
        .contains("leveldb.approximate-memory-usage: ")
        .contains("kv.lookups 0\n");
    assertThat(Cli.run("properties", dir, "leveldb.num-files-at-level1").out()).isEqualTo("1\n");
    assertThat(Cli.run("properties", dir, "leveldb.num-files-at-level1", "--json").out())
        .isEqualTo("{\"leveldb.num-files-at-level1\":\"1\"}\n");
    Cli unknown = Cli.run("properties", dir, "rocksdb.stats");
    assertThat(unknown.exitCode()).isEqualTo(1);
    assertThat(unknown.err()).contains("no such property: rocksdb.stats");
  }

  @Test
  void properties_estimateOfKeys_needsTablesOfKv() throws IOException {
    String cpp = Fixtures.copy("snappy-levels", temp).toString();
    assertThat(Cli.run("properties", cpp).out()).doesNotContain("kv.estimate-num-keys");
    Cli unknown = Cli.run("properties", cpp, "kv.estimate-num-keys");
    assertThat(unknown.exitCode()).isEqualTo(1);
    assertThat(unknown.err()).contains("tables have no counts");
    Path dir = temp.resolve("kv");
    try (DB db = DB.open(dir, Options.builder().createIfMissing(true).build())) {
      for (int i = 0; i < 10; i++) {
        db.put(new byte[] {(byte) i}, new byte[0]);
      }
      db.admin().flush();
      db.delete(new byte[] {5});
    }
    assertThat(Cli.run("properties", dir.toString(), "kv.estimate-num-keys").out())
        .isEqualTo("9\n");
    assertThat(Cli.run("properties", dir.toString()).out()).contains("kv.estimate-num-keys: 9\n");
  }

  @Test
  void estimate_ofADatabaseThatCppWroteAndKvChanged_isNone() throws IOException {
    Path dir = Fixtures.copy("snappy-levels", temp);
    try (DB db = DB.open(dir, Options.DEFAULT)) {
      db.put("new".getBytes(), "1".getBytes());
      db.admin().flush();
    }
    assertThat(Cli.run("properties", dir.toString()).out()).doesNotContain("kv.estimate-num-keys");
    assertThat(Cli.run("stats", dir.toString(), "--json").out()).doesNotContain("estimatedKeys");
  }
}
