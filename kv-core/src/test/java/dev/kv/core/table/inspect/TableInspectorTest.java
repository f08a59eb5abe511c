package dev.kv.core.table.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.db.LeakCheck;
import dev.kv.core.key.InternalKey;
import dev.kv.core.table.format.BlockHandle;
import dev.kv.core.table.format.Footer;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(LeakCheck.class)
class TableInspectorTest {
  private static final Path FIXTURES = Path.of("src/test/resources/fixtures/leveldb");
  private static final int TRAILER = 5;

  @TempDir Path temp;

  @ParameterizedTest
  @CsvSource({
    "plain/000005.ldb, plain.txt, 0",
    "zstd/000011.ldb, zstd.txt, 2",
    "bloom/000011.ldb, bloom.txt, 1"
  })
  void blocks_ofACppTable_tileTheFileAndHoldItsEntries(String table, String dump, int compression)
      throws IOException {
    Path path = FIXTURES.resolve(table);
    Set<String> keys = new TreeSet<>();
    try (TableInspector inspector = new TableInspector(Env.fileSystem(), path)) {
      Footer footer = inspector.footer();
      long end = 0;
      boolean compressed = false;
      for (TableInspector.BlockEntry data : inspector.readHandles(footer.index())) {
        assertThat(data.handle().offset()).isEqualTo(end);
        end = data.handle().offset() + data.handle().size() + TRAILER;
        TableInspector.Block block = inspector.read(data.handle(), true);
        assertThat(block.restarts()).isPositive();
        assertThat(block.length()).isEqualTo(inspector.content().length);
        compressed |= block.compression() == compression;
        inspector.forEachEntry(
            (key, value) -> keys.add(HexFormat.of().formatHex(InternalKey.userKey(key))));
      }
      assertThat(compressed).isTrue();
      for (TableInspector.BlockEntry filter : inspector.readHandles(footer.metaindex())) {
        assertThat(filter.key()).asString().isEqualTo("filter.leveldb.BuiltinBloomFilter2");
        assertThat(filter.handle().offset()).isEqualTo(end);
        assertThat(inspector.read(filter.handle(), false).restarts()).isEqualTo(-1);
        end = filter.handle().offset() + filter.handle().size() + TRAILER;
      }
      assertThat(footer.metaindex().offset()).isEqualTo(end);
    }
    Set<String> written =
        Files.readAllLines(FIXTURES.resolve(dump)).stream()
            .map(line -> line.substring(0, line.indexOf(' ')))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(keys).containsAll(written);
  }

  @Test
  void read_oneDamagedBlock_leavesTheOthersReadable() throws IOException {
    byte[] bytes = Files.readAllBytes(FIXTURES.resolve("plain/000005.ldb"));
    bytes[20] ^= 1;
    Path damaged = Files.write(temp.resolve("000005.ldb"), bytes);
    try (TableInspector inspector = new TableInspector(Env.fileSystem(), damaged)) {
      var blocks = inspector.readHandles(inspector.footer().index());
      assertThat(blocks).hasSizeGreaterThan(2);
      assertThatThrownBy(() -> inspector.read(blocks.get(0).handle(), true))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("checksum")
          .extracting(e -> ((CorruptionException) e).offset())
          .isEqualTo(0L);
      assertThat(inspector.read(blocks.get(1).handle(), true).length()).isPositive();
    }
  }

  @Test
  void footer_noTable_isCorruption() throws IOException {
    Path file = Files.write(temp.resolve("000001.ldb"), new byte[10]);
    try (TableInspector inspector = new TableInspector(Env.fileSystem(), file)) {
      assertThatThrownBy(inspector::footer)
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("too short for a table");
    }
    Path footerOnly = Files.write(temp.resolve("000003.ldb"), new byte[Footer.SIZE]);
    try (TableInspector inspector = new TableInspector(Env.fileSystem(), footerOnly)) {
      assertThatThrownBy(inspector::footer).hasMessageContaining("magic");
    }
    Path zeros = Files.write(temp.resolve("000002.ldb"), new byte[100]);
    try (TableInspector inspector = new TableInspector(Env.fileSystem(), zeros)) {
      assertThatThrownBy(inspector::footer)
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("magic");
      BlockHandle outside = new BlockHandle(90, 20);
      assertThatThrownBy(() -> inspector.read(outside, true))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("not in the file");
    }
  }

  private static TableInspector.FoundBlock found(long offset, long size) {
    return new TableInspector.FoundBlock(new BlockHandle(offset, size), TableInspector.Role.DATA);
  }

  private static NavigableMap<Long, TableInspector.FoundBlock> byOffset(
      TableInspector.FoundBlock... blocks) {
    NavigableMap<Long, TableInspector.FoundBlock> map = new TreeMap<>();
    for (TableInspector.FoundBlock block : blocks) {
      map.put(block.handle().offset(), block);
    }
    return map;
  }

  @Test
  void agree_namedAndFoundBlocks_ifNoneBetweenIsUnnamed() {
    List<BlockHandle> named = List.of(new BlockHandle(0, 10), new BlockHandle(15, 20));
    assertThat(TableInspector.agree(List.of(), byOffset())).as("names nothing").isFalse();
    assertThat(TableInspector.agree(named, byOffset())).isTrue();
    assertThat(TableInspector.agree(named, byOffset(found(0, 10), found(15, 20)))).isTrue();
    assertThat(TableInspector.agree(named, byOffset(found(40, 5)))).as("after them").isTrue();
    assertThat(TableInspector.agree(named, byOffset(found(0, 10), found(15, 19)))).isFalse();
    assertThat(TableInspector.agree(named, byOffset(found(35, 5)))).as("in the last").isFalse();
  }

  @Test
  void read_beforeAnyBlock_orAnotherBlock_hasItsContentOnly() throws IOException {
    try (TableInspector inspector =
        new TableInspector(Env.fileSystem(), FIXTURES.resolve("plain/000005.ldb"))) {
      assertThat(inspector.size()).isEqualTo(Files.size(FIXTURES.resolve("plain/000005.ldb")));
      assertThatThrownBy(inspector::content).hasMessage("no block has been read");
      var named = inspector.readNamed(inspector.footer().index());
      assertThat(named)
          .isEqualTo(
              inspector.readHandles(inspector.footer().index()).stream()
                  .map(TableInspector.BlockEntry::handle)
                  .toList());
      inspector.read(named.get(0), true);
      byte[] first = inspector.content();
      inspector.read(named.get(1), true);
      assertThat(inspector.content()).isNotEqualTo(first);
    }
  }
}
