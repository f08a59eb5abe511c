package dev.kv.core.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.bytes.DBComparator;
import dev.kv.core.Bytes;
import dev.kv.core.EnvFiles;
import dev.kv.core.db.LeakCheck;
import dev.kv.core.key.InternalKey;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingRandomAccessFile;
import dev.kv.env.RandomAccessFile;
import dev.kv.errors.CorruptionException;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The parts of a table, as a tool reads them: 20 keys in two levels of blocks, and a tombstone. */
@ExtendWith(LeakCheck.class)
class TableContentsTest {
  private static final Path FIXTURES = Path.of("src/test/resources/fixtures/leveldb");
  private static final Path DIRECTORY = Path.of("/db");
  private static final FilterPolicy BLOOM = FilterPolicy.bloom(10);
  private static final int TRAILER = 5;

  @TempDir Path temp;

  private final Env env = Env.inMemory();
  private Path file;

  @BeforeEach
  void writeATable() throws IOException {
    Options options =
        Options.builder()
            .createIfMissing(true)
            .env(env)
            .blockSize(1024)
            .compression(CompressionType.NONE)
            .filterPolicy(BLOOM)
            .build();
    try (DB db = DB.open(DIRECTORY, options)) {
      for (int i = 0; i < 19; i++) {
        db.put(key(i), Bytes.bytes("v".repeat(200)));
      }
      db.delete(key(19));
      db.admin().flush();
    }
    for (String name : env.list(DIRECTORY)) {
      DatabaseFile parsed = DatabaseFile.parse(name);
      if (parsed != null && parsed.kind() == DatabaseFile.Kind.TABLE) {
        file = DIRECTORY.resolve(name);
      }
    }
    assertThat(file).isNotNull();
  }

  private static byte[] key(int i) {
    return Bytes.bytes(String.format(Locale.ROOT, "key%02d", i));
  }

  private List<TableContents.Handle> blocks(TableContents table) {
    return table.readHandles(table.footer().index()).stream()
        .map(TableContents.Named::handle)
        .toList();
  }

  @Test
  void dataBlocks_ofTheIndex_haveAllEntriesInOrder() throws IOException {
    try (TableContents table = new TableContents(env, file)) {
      assertThat(table.size()).isEqualTo(env.size(file));
      List<TableContents.Named> index = table.readHandles(table.footer().index());
      assertThat(index).hasSizeGreaterThan(2);
      List<String> keys = new ArrayList<>();
      List<byte[]> last = new ArrayList<>();
      for (TableContents.Named each : index) {
        TableContents.Block block = table.read(each.handle(), true);
        assertThat(block.handle()).isEqualTo(each.handle());
        assertThat(block.compression()).isZero();
        assertThat(block.length()).isEqualTo(each.handle().size());
        assertThat(block.restarts()).isEqualTo(1);
        assertThat(table.content()).hasSize(block.length());
        table.forEachEntry(
            (key, value) -> {
              keys.add(new String(StoredKey.userKey(key), StandardCharsets.UTF_8));
              assertThat(value).hasSize(StoredKey.isTombstone(key) ? 0 : 200);
              last.add(key);
            });
        StoredKey.Order order = new StoredKey.Order(DBComparator.bytewise());
        assertThat(order.compare(last.get(last.size() - 1), each.key())).isNotPositive();
      }
      assertThat(keys).hasSize(20).isSorted().startsWith("key00").endsWith("key19");
    }
  }

  @Test
  void metaindex_namesThePropertiesAndTheFilter() throws IOException {
    try (TableContents table = new TableContents(env, file)) {
      List<TableContents.Named> named = table.readHandles(table.footer().metaindex());
      assertThat(named)
          .extracting(each -> new String(each.key(), StandardCharsets.UTF_8))
          .containsExactlyInAnyOrder("filter." + BLOOM.name(), TableContents.PROPERTIES_KEY);
      for (TableContents.Named each : named) {
        boolean isFilter = new String(each.key(), StandardCharsets.UTF_8).startsWith("filter.");
        TableContents.Block block = table.read(each.handle(), false);
        assertThat(block.restarts()).isEqualTo(-1);
        TableContents.Properties properties = table.properties();
        if (isFilter) {
          assertThat(properties).isNull();
          expectFilter(table.filter(BLOOM), blocks(table));
        } else {
          assertThat(properties).isNotNull();
          assertThat(properties.leastSequence()).isEqualTo(1);
          assertThat(properties.greatestSequence()).isEqualTo(20);
          assertThat(properties.entries()).isEqualTo(20);
          assertThat(properties.tombstones()).isEqualTo(1);
          assertThat(properties.writtenAt()).isPositive();
          assertThat(properties.comparator()).isEqualTo(DBComparator.bytewise().name());
          assertThat(properties.compression()).isEqualTo(CompressionType.NONE.code());
        }
      }
    }
  }

  private static void expectFilter(TableContents.Filter filter, List<TableContents.Handle> blocks) {
    assertThat(filter.mayContain(blocks.get(0).offset(), key(0))).isTrue();
    assertThat(filter.mayContain(blocks.get(blocks.size() - 1).offset(), key(19))).isTrue();
    int passed = 0;
    for (int i = 0; i < 100; i++) {
      passed += filter.mayContain(0, Bytes.bytes("other" + i)) ? 1 : 0;
    }
    assertThat(passed).as("false positives").isLessThan(20);
  }

  @Test
  void findBlocks_withoutFooterAndIndex_hasTheSameBlocks() throws IOException {
    try (TableContents table = new TableContents(env, file)) {
      List<TableContents.Found> found = table.findBlocks();
      TableContents.Roots roots = table.footer();
      assertThat(found)
          .filteredOn(each -> each.role() == TableContents.Role.DATA)
          .extracting(TableContents.Found::handle)
          .isEqualTo(blocks(table));
      assertThat(found)
          .filteredOn(each -> each.role() == TableContents.Role.INDEX)
          .extracting(TableContents.Found::handle)
          .containsExactly(roots.index());
      assertThat(found)
          .filteredOn(each -> each.role() == TableContents.Role.METAINDEX)
          .extracting(TableContents.Found::handle)
          .containsExactly(roots.metaindex());
      assertThat(found)
          .allMatch(each -> each.end() == each.handle().offset() + each.handle().size() + TRAILER);
      assertThat(found.get(found.size() - 1).end() + TableContents.FOOTER_BYTES)
          .isEqualTo(table.size());
    }
  }

  @Test
  void partsOfATable_whoseFirstBlockIsDamaged_stayReadable() throws IOException {
    byte[] bytes = EnvFiles.read(env, file);
    bytes[3] ^= 1;
    EnvFiles.write(env, file, bytes);
    try (TableContents table = new TableContents(env, file)) {
      List<TableContents.Handle> blocks = blocks(table);
      assertThatThrownBy(() -> table.read(blocks.get(0), true))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("checksum")
          .extracting(e -> ((CorruptionException) e).offset())
          .isEqualTo(0L);
      assertThat(table.read(blocks.get(1), true).length()).isPositive();
    }
  }

  @Test
  void close_closesTheFile() throws IOException {
    List<Path> closed = new ArrayList<>();
    Env watched =
        new ForwardingEnv(env) {
          @Override
          public RandomAccessFile openRandomAccess(Path opened, boolean map) throws IOException {
            return new ForwardingRandomAccessFile(super.openRandomAccess(opened, map)) {
              @Override
              public void close() throws IOException {
                closed.add(opened);
                super.close();
              }
            };
          }
        };
    TableContents table = new TableContents(watched, file);
    assertThat(closed).isEmpty();
    table.close();
    assertThat(closed).containsExactly(file);
  }

  @ParameterizedTest
  @CsvSource({
    "plain/000005.ldb, plain.txt, 0",
    "zstd/000011.ldb, zstd.txt, 2",
    "bloom/000011.ldb, bloom.txt, 1"
  })
  void blocks_ofACppTable_tileTheFileAndHoldItsEntries(String name, String dump, int compression)
      throws IOException {
    Path path = FIXTURES.resolve(name);
    Set<String> keys = new TreeSet<>();
    try (TableContents table = new TableContents(Env.fileSystem(), path)) {
      TableContents.Roots footer = table.footer();
      long end = 0;
      boolean compressed = false;
      for (TableContents.Named data : table.readHandles(footer.index())) {
        assertThat(data.handle().offset()).isEqualTo(end);
        end = data.handle().offset() + data.handle().size() + TRAILER;
        TableContents.Block block = table.read(data.handle(), true);
        assertThat(block.restarts()).isPositive();
        assertThat(block.length()).isEqualTo(table.content().length);
        compressed |= block.compression() == compression;
        table.forEachEntry(
            (key, value) -> keys.add(HexFormat.of().formatHex(InternalKey.userKey(key))));
      }
      assertThat(compressed).isTrue();
      for (TableContents.Named filter : table.readHandles(footer.metaindex())) {
        assertThat(filter.key()).asString().isEqualTo("filter.leveldb.BuiltinBloomFilter2");
        assertThat(filter.handle().offset()).isEqualTo(end);
        assertThat(table.read(filter.handle(), false).restarts()).isEqualTo(-1);
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
  void footer_noTable_isCorruption() throws IOException {
    Path file = Files.write(temp.resolve("000001.ldb"), new byte[10]);
    try (TableContents table = new TableContents(Env.fileSystem(), file)) {
      assertThatThrownBy(table::footer)
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("too short for a table");
    }
    Path footerOnly = Files.write(temp.resolve("000003.ldb"), new byte[TableContents.FOOTER_BYTES]);
    try (TableContents table = new TableContents(Env.fileSystem(), footerOnly)) {
      assertThatThrownBy(table::footer).hasMessageContaining("magic");
    }
    Path zeros = Files.write(temp.resolve("000002.ldb"), new byte[100]);
    try (TableContents table = new TableContents(Env.fileSystem(), zeros)) {
      assertThatThrownBy(table::footer)
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("magic");
      TableContents.Handle outside = new TableContents.Handle(90, 20);
      assertThatThrownBy(() -> table.read(outside, true))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("not in the file");
    }
  }

  private static TableContents.Found found(long offset, long size) {
    return TableContents.Found.of(new TableContents.Handle(offset, size), TableContents.Role.DATA);
  }

  @Test
  void agree_namedAndFoundBlocks_ifNoneBetweenIsUnnamed() {
    List<TableContents.Handle> named =
        List.of(new TableContents.Handle(0, 10), new TableContents.Handle(15, 20));
    assertThat(TableContents.agree(List.of(), List.of())).as("names nothing").isFalse();
    assertThat(TableContents.agree(named, List.of())).isTrue();
    assertThat(TableContents.agree(named, List.of(found(0, 10), found(15, 20)))).isTrue();
    assertThat(TableContents.agree(named, List.of(found(40, 5)))).as("after them").isTrue();
    assertThat(TableContents.agree(named, List.of(found(0, 10), found(15, 19)))).isFalse();
    assertThat(TableContents.agree(named, List.of(found(35, 5)))).as("in the last").isFalse();
  }

  @Test
  void read_beforeAnyBlock_orAnotherBlock_hasItsContentOnly() throws IOException {
    try (TableContents table =
        new TableContents(Env.fileSystem(), FIXTURES.resolve("plain/000005.ldb"))) {
      assertThat(table.size()).isEqualTo(Files.size(FIXTURES.resolve("plain/000005.ldb")));
      assertThatThrownBy(table::content).hasMessage("no block has been read");
      var named = table.readNamed(table.footer().index());
      assertThat(named)
          .isEqualTo(
              table.readHandles(table.footer().index()).stream()
                  .map(TableContents.Named::handle)
                  .toList());
      table.read(named.get(0), true);
      byte[] first = table.content();
      table.read(named.get(1), true);
      assertThat(table.content()).isNotEqualTo(first);
    }
  }
}
