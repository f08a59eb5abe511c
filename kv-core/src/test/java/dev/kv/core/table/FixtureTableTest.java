package dev.kv.core.table;

import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.table.block.CursorModel;
import dev.kv.core.table.cache.ReadFlags;
import dev.kv.core.table.format.BuildBuffers;
import dev.kv.core.table.format.TableBuilder;
import dev.kv.core.table.format.TableFormat;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tables that C++ LevelDB wrote: that we read what is in them, and would have written the same
 * bytes.
 */
class FixtureTableTest {
  private static final Path FIXTURES = Path.of("src/test/resources/fixtures/leveldb");
  private static final InternalKeyComparator BYTEWISE =
      new InternalKeyComparator(DBComparator.bytewise());
  private static final InternalKeyComparator REVERSE =
      new InternalKeyComparator(
          new DBComparator() {
            @Override
            public String name() {
              return "fixture.ReverseBytewise";
            }

            @Override
            public int compare(Slice a, Slice b) {
              return b.compareTo(a);
            }
          });

  @ParameterizedTest
  @CsvSource({
    "extremes/000005.ldb, 4096, 16, SNAPPY",
    "killed/000005.ldb, 4096, 16, SNAPPY",
    "plain/000005.ldb, 4096, 16, NONE",
    "restart1/000005.ldb, 1024, 1, SNAPPY",
    "restart1/000007.ldb, 1024, 1, SNAPPY",
    "restart128/000005.ldb, 16384, 128, SNAPPY",
    "snappy-levels/000005.ldb, 4096, 16, SNAPPY",
    "snappy-levels/000017.ldb, 4096, 16, SNAPPY",
    "snappy-levels/000026.ldb, 4096, 16, SNAPPY",
    "snapshot-versions/000011.ldb, 4096, 16, SNAPPY",
    "zstd/000011.ldb, 4096, 16, ZSTD",
  })
  void build_entriesOfACppTable_givesTheSameBytes(
      String name, int blockSize, int interval, CompressionType type) throws IOException {
    byte[] bytes = Files.readAllBytes(FIXTURES.resolve(name));
    TableFormat format = TableBench.format(blockSize, interval, type);
    assertThat(rebuilt(bytes, format, BYTEWISE)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"reverse-comparator/000005.ldb", "bloom/000011.ldb", "snappy-levels/000018.ldb"})
  void moves_cppTable_goBothWaysInOrder(String name) throws IOException {
    InternalKeyComparator order = name.startsWith("reverse") ? REVERSE : BYTEWISE;
    byte[] bytes = Files.readAllBytes(FIXTURES.resolve(name));
    try (TableBench bench = new TableBench(1 << 20)) {
      Table table = bench.open(MemoryFile.reading(bytes), order);
      List<byte[]> keys = new ArrayList<>();
      try (TableIterator cursor = TableBench.cursor(table, ReadFlags.DEFAULT)) {
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
          byte[] key = CursorModel.key(cursor);
          if (!keys.isEmpty()) {
            assertThat(order.compare(keys.get(keys.size() - 1), key)).isNegative();
          }
          keys.add(key);
        }
        assertThat(keys).hasSizeGreaterThan(50);
        int left = keys.size();
        for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
          assertThat(CursorModel.key(cursor)).isEqualTo(keys.get(--left));
        }
        assertThat(left).isZero();
        for (byte[] key : keys) {
          cursor.seek(direct(key), 0, key.length);
          assertThat(CursorModel.key(cursor)).isEqualTo(key);
        }
      }
      table.free();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "plain/000005.ldb, plain.txt",
    "restart128/000005.ldb, restart128.txt",
    "zstd/000011.ldb, zstd.txt",
    "snapshot-versions/000011.ldb, snapshot-versions.txt",
  })
  void moves_cppTableOfAWholeDatabase_findWhatItsTextSays(String name, String text)
      throws IOException {
    byte[] bytes = Files.readAllBytes(FIXTURES.resolve(name));
    List<String> found = new ArrayList<>();
    try (TableBench bench = new TableBench(1 << 20)) {
      Table table = bench.open(MemoryFile.reading(bytes), BYTEWISE);
      try (TableIterator cursor = TableBench.cursor(table, ReadFlags.DEFAULT)) {
        byte[] last = null;
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
          byte[] key = CursorModel.key(cursor);
          byte[] user = InternalKey.userKey(key);
          boolean newest = last == null || !java.util.Arrays.equals(user, last);
          if (newest && InternalKey.kindCode(InternalKey.tag(key)) == ValueKind.VALUE.code()) {
            found.add(hex(user) + " " + hex(CursorModel.value(cursor)));
          }
          last = user;
        }
      }
      table.free();
    }
    assertThat(found).isEqualTo(Files.readAllLines(FIXTURES.resolve(text)));
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  /** Returns a table of the entries in another. */
  static byte[] rebuilt(byte[] bytes, TableFormat format, InternalKeyComparator order)
      throws IOException {
    MemoryFile file = new MemoryFile();
    try (TableBench bench = new TableBench(0);
        BuildBuffers buffers = new BuildBuffers(format, new OffHeapBudget(0))) {
      Table table = bench.open(MemoryFile.reading(bytes), order);
      try (TableIterator cursor = TableBench.cursor(table, ReadFlags.DEFAULT)) {
        TableBuilder builder = new TableBuilder(format, order, file, buffers);
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
          builder.add(
              cursor.keyBuffer(),
              cursor.keyOffset(),
              cursor.keyLength(),
              cursor.valueBuffer(),
              cursor.valueOffset(),
              cursor.valueLength());
        }
        builder.finish();
      }
      table.free();
    }
    return file.bytes();
  }
}
