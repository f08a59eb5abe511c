package dev.kv.core.repair;

import static dev.kv.core.Bytes.bytes;
import static dev.kv.core.LogFiles.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.core.EnvFiles;
import dev.kv.core.LogFiles;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.env.Env;
import dev.kv.errors.DBIOException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DumperTest {
  private static final Path DIRECTORY = Path.of("/db");
  private static final Path LOG = DIRECTORY.resolve("000003.log");

  private final Env env = Env.inMemory();
  private final Options options = Options.builder().env(env).createIfMissing(true).build();

  private List<String> dump(Path file) {
    List<String> lines = new ArrayList<>();
    Dumper.dump(file, options, lines::add);
    return lines;
  }

  /** Writes records into a new file. */
  private void records(Path file, byte[]... records) throws IOException {
    env.createDirectory(DIRECTORY);
    LogFiles.write(env, file, records);
  }

  private void flip(Path file, int at) throws IOException {
    byte[] content = EnvFiles.read(env, file);
    content[at < 0 ? content.length + at : at] ^= 1;
    EnvFiles.write(env, file, content);
  }

  private Path tableOf(DB db) throws IOException {
    db.admin().flush();
    for (String name : env.list(DIRECTORY)) {
      if (name.endsWith(".ldb")) {
        return DIRECTORY.resolve(name);
      }
    }
    throw new AssertionError("no table");
  }

  @Test
  void log_hasALineForEachBatchAndForEachOperation() throws IOException {
    EncodedBatch two = new EncodedBatch();
    two.put(bytes("a"), bytes("1\n")).delete(bytes("b"));
    records(LOG, record(7, two), record(9, new EncodedBatch()), record(-1, new EncodedBatch()));
    assertThat(dump(LOG))
        .containsExactly(
            "--- offset 0; sequence 7",
            "  put 'a' '1\\x0a'",
            "  del 'b'",
            "--- offset 28; sequence 9",
            "--- offset 47; sequence 18446744073709551615",
            "--- ends at offset 66 (RECORD)");
  }

  @Test
  void log_withDamage_hasALineForItAndGoesOn() throws IOException {
    byte[] noBatch = new byte[11];
    byte[] malformed = new byte[13];
    malformed[12] = 9; // no kind of operation
    records(LOG, noBatch, malformed, record(7, new EncodedBatch()));
    List<String> lines = dump(LOG);
    assertThat(lines).hasSize(5);
    assertThat(lines.get(0)).isEqualTo("--- offset 0: damaged, a record of 11 bytes is no batch");
    assertThat(lines.get(1)).isEqualTo("--- offset 18; sequence 0");
    assertThat(lines.get(2)).startsWith("  damaged: ");
    assertThat(lines.get(3)).isEqualTo("--- offset 38; sequence 7");
    flip(LOG, 0);
    assertThat(dump(LOG).get(0)).startsWith("--- offset 0: damaged, ");
    EnvFiles.write(env, LOG, new byte[0]);
    assertThat(dump(LOG)).containsExactly("--- ends at offset 0 (RECORD)");
  }

  @Test
  void manifest_hasTheEditsOfTheDatabase() throws IOException {
    try (DB db = DB.open(DIRECTORY, options)) {
      db.put(bytes("a"), bytes("1"));
      db.admin().flush();
    }
    Path manifest = null;
    for (String name : env.list(DIRECTORY)) {
      manifest = name.startsWith("MANIFEST") ? DIRECTORY.resolve(name) : manifest;
    }
    String lines = String.join("\n", dump(manifest));
    assertThat(lines)
        .startsWith("--- offset 0\n  VersionEdit {\n    Comparator: leveldb.BytewiseComparator\n")
        .containsPattern("\n    AddFile: \\d \\d+ \\d+ 'a' @ 1")
        .contains("(RECORD)");
    records(manifest, new byte[] {99});
    assertThat(dump(manifest)).hasSize(3);
    assertThat(dump(manifest).get(1)).startsWith("  damaged: ");
  }

  @Test
  void table_hasALineForEachEntry() throws IOException {
    Path table;
    try (DB db = DB.open(DIRECTORY, options)) {
      db.put(bytes("a"), bytes("1"));
      db.delete(bytes("b"));
      db.put(new byte[] {0, 'x'}, new byte[0]);
      table = tableOf(db);
    }
    assertThat(dump(table))
        .containsExactly("'\\x00x' @ 3 : val => ''", "'a' @ 1 : val => '1'", "'b' @ 2 : del");
    flip(table, -1);
    List<String> lines = dump(table);
    assertThat(lines).hasSize(4);
    assertThat(lines.get(0)).startsWith("--- damaged: not a table");
    assertThat(lines.subList(1, 4)).contains("'a' @ 1 : val => '1'");
    flip(table, 0);
    lines = dump(table);
    assertThat(lines.get(0)).startsWith("--- damaged: not a table");
    assertThat(lines.get(1)).startsWith("--- offset 0: damaged, ").endsWith(" bytes: no block");
    flip(table, -1);
    lines = dump(table);
    assertThat(lines).hasSize(1);
    assertThat(lines.get(0)).startsWith("--- damaged: ");
  }

  @Test
  void otherFiles_areRefused() throws IOException {
    for (String name : List.of("CURRENT", "LOCK", "unrelated", "000005.dbtmp")) {
      assertThatThrownBy(() -> dump(DIRECTORY.resolve(name)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not the name of a log, MANIFEST or table");
    }
    env.createDirectory(DIRECTORY);
    for (String name : List.of("000003.log", "MANIFEST-000002", "000005.ldb")) {
      assertThatThrownBy(() -> dump(DIRECTORY.resolve(name)))
          .isInstanceOf(DBIOException.class)
          .hasMessageContaining("cannot read " + DIRECTORY.resolve(name));
    }
  }
}
