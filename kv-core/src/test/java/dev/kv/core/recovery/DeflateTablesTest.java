package dev.kv.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.admin.RepairReport;
import dev.kv.core.db.DbTestBase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.Deflater;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tables with the block types of Mojang's fork of LevelDB. */
class DeflateTablesTest {
  @TempDir Path temp;

  @ParameterizedTest
  @CsvSource({"2, false", "4, true"})
  void table_withDeflatedBlocks_isRead(byte code, boolean raw) throws IOException {
    byte[] value = new byte[3000];
    Arrays.fill(value, (byte) 'v');
    byte[] key = HostileFilesTest.internalKey("key");
    byte[] entry =
        HostileFilesTest.entry(0, key.length, value.length, HostileFilesTest.concat(key, value));
    byte[] stored = deflated(HostileFilesTest.block(entry, 1), raw);
    assertThat(stored.length).isLessThan(200);
    Path directory = Files.createDirectory(temp.resolve("db"));
    Files.write(directory.resolve("000005.ldb"), HostileFilesTest.tableOf(stored, code));
    RepairReport report = DB.repair(directory, Options.DEFAULT);
    assertThat(report.tablesKept()).isEqualTo(1);
    assertThat(report.bytesLost()).isZero();
    try (DB db = DB.open(directory, Options.DEFAULT);
        DBIterator entries = db.iterator()) {
      assertThat(db.get(DbTestBase.b("key"))).isEqualTo(value);
      entries.seekToFirst();
      assertThat(entries.value()).isEqualTo(value);
    }
  }

  /** The blocks are found by their checksums then. */
  @ParameterizedTest
  @CsvSource({"2, false", "4, true"})
  void table_withDeflatedBlocksAndWithoutFooterAndIndex_isRepaired(byte code, boolean raw)
      throws IOException {
    byte[] value = new byte[3000];
    byte[] key = HostileFilesTest.internalKey("key");
    byte[] entry =
        HostileFilesTest.entry(0, key.length, value.length, HostileFilesTest.concat(key, value));
    byte[] stored = deflated(HostileFilesTest.block(entry, 1), raw);
    byte[] table = HostileFilesTest.tableOf(stored, code);
    table[table.length - 1] ^= 1;
    table[table.length - 60] ^= 1; // the index, which is found by its checksum otherwise
    Path directory = Files.createDirectory(temp.resolve("db"));
    Files.write(directory.resolve("000005.ldb"), table);
    DB.repair(directory, Options.DEFAULT);
    try (DB db = DB.open(directory, Options.DEFAULT)) {
      assertThat(db.get(DbTestBase.b("key"))).isEqualTo(value);
    }
  }

  private static byte[] deflated(byte[] block, boolean raw) {
    Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, raw);
    try {
      deflater.setInput(block);
      deflater.finish();
      byte[] stored = new byte[block.length];
      int size = deflater.deflate(stored);
      return Arrays.copyOf(stored, size);
    } finally {
      deflater.end();
    }
  }
}
