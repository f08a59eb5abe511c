package dev.kv.core.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.bytes.DBComparator;
import dev.kv.core.Bytes;
import dev.kv.core.EnvFiles;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingRandomAccessFile;
import dev.kv.env.RandomAccessFile;
import dev.kv.errors.CorruptionException;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The parts of a table, as a tool reads them: 20 keys in two levels of blocks, and a tombstone. */
class TableContentsTest {
  private static final Path DIRECTORY = Path.of("/db");
  private static final FilterPolicy BLOOM = FilterPolicy.bloom(10);
  private static final int TRAILER = 5;

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
          .hasMessageContaining("checksum");
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
}
