package dev.kv.core.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.FilterPolicy;
import dev.kv.bytes.DBComparator;
import dev.kv.core.inspect.TableContents;
import dev.kv.core.inspect.TableContents.Handle;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.table.block.CursorModel;
import dev.kv.core.table.block.Entries;
import dev.kv.core.table.cache.ReadFlags;
import dev.kv.core.table.filter.BloomFilter;
import dev.kv.core.table.format.Footer;
import dev.kv.core.table.format.TableFormat;
import dev.kv.core.table.format.TableProperties;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The block of properties: in which tables it is, and what an open does with a damaged one. */
class TableWithPropertiesTest {
  private static final InternalKeyComparator BYTEWISE =
      new InternalKeyComparator(DBComparator.bytewise());
  private static final FilterPolicy BLOOM = new BloomFilter(10);
  private static final int TRAILER = 5;

  @TempDir private Path temp;

  private static TableFormat format(CompressionType type, @Nullable FilterPolicy policy) {
    return new TableFormat(1024, 16, type, 1, true, policy, TableFormat.WHOLE_TABLE, true);
  }

  private static Entries entries(KeyComparator order) {
    return Entries.internal(order, new Random(5), 300);
  }

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void open_tableOfInternalKeys_hasItsProperties(CompressionType type) {
    Entries entries = entries(BYTEWISE);
    long least = InternalKey.MAX_SEQUENCE;
    long greatest = 0;
    long tombstones = 0;
    Set<ByteBuffer> userKeys = new HashSet<>();
    for (Entries.Entry entry : entries.list()) {
      long tag = InternalKey.tag(entry.key());
      least = Math.min(least, InternalKey.sequence(tag));
      greatest = Math.max(greatest, InternalKey.sequence(tag));
      tombstones += 1 - InternalKey.kindCode(tag);
      userKeys.add(ByteBuffer.wrap(InternalKey.userKey(entry.key())));
    }
    assertThat(userKeys).hasSizeLessThan(entries.list().size());
    TableProperties expected =
        new TableProperties(
            least,
            greatest,
            entries.list().size(),
            tombstones,
            0,
            "leveldb.BytewiseComparator",
            userKeys.size(),
            type.code());
    assertThat(tombstones).isPositive();
    for (FilterPolicy policy : new FilterPolicy[] {null, BLOOM}) {
      byte[] bytes = TableBench.build(format(type, policy), BYTEWISE, entries);
      assertThat(propertiesOf(bytes, BYTEWISE, null)).isEqualTo(expected);
      assertThat(propertiesOf(bytes, BYTEWISE, BLOOM)).isEqualTo(expected);
    }
  }

  @Test
  void open_emptyTableOrUserKeys_hasNone() {
    Entries none = Entries.internal(BYTEWISE, new Random(5), 0);
    byte[] empty = TableBench.build(format(CompressionType.NONE, null), BYTEWISE, none);
    assertThat(propertiesOf(empty, BYTEWISE, null)).isNull();
    KeyComparator users = new UserKeyComparator(DBComparator.bytewise());
    Entries entries = Entries.user(users, new Random(5), 100);
    byte[] bytes = TableBench.build(format(CompressionType.NONE, null), users, entries);
    assertThat(propertiesOf(bytes, users, null)).isNull();
    assertThat(new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1))
        .doesNotContain(TableProperties.KEY);
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain/000005.ldb", "zstd/000011.ldb", "bloom/000011.ldb"})
  void open_tableOfCpp_hasNone(String name) throws IOException {
    byte[] bytes = Files.readAllBytes(Path.of("src/test/resources/fixtures/leveldb", name));
    assertThat(propertiesOf(bytes, BYTEWISE, null)).isNull();
    assertThat(propertiesOf(bytes, BYTEWISE, BLOOM)).isNull();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void open_damagedProperties_doesWithoutThem(boolean filtered) throws IOException {
    FilterPolicy policy = filtered ? BLOOM : null;
    Entries entries = entries(BYTEWISE);
    byte[] bytes = TableBench.build(format(CompressionType.NONE, policy), BYTEWISE, entries);
    Handle block = properties(bytes);
    for (long at = block.offset(); at < block.offset() + block.size() + TRAILER; at += 7) {
      byte[] damaged = bytes.clone();
      damaged[(int) at] ^= 0x10;
      assertThat(propertiesOf(damaged, BYTEWISE, policy)).as("byte %d", at).isNull();
      expectEntries(damaged, entries, policy);
    }
  }

  /** Without a policy, an open needs nothing else of the metaindex. */
  @Test
  void open_damagedMetaindex_doesWithoutPropertiesUnlessItNeedsTheFilter() throws IOException {
    Entries entries = entries(BYTEWISE);
    byte[] bytes = TableBench.build(format(CompressionType.NONE, BLOOM), BYTEWISE, entries);
    byte[] damaged = bytes.clone();
    damaged[(int) footer(bytes).metaindex().offset() + 5] ^= 0x10;
    assertThat(propertiesOf(damaged, BYTEWISE, null)).isNull();
    expectEntries(damaged, entries, null);
    assertThatThrownBy(() -> propertiesOf(damaged, BYTEWISE, BLOOM))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("checksum");
  }

  @Test
  void build_formatWithoutProperties_isThatOfCpp() {
    Entries entries = entries(BYTEWISE);
    TableFormat with = format(CompressionType.SNAPPY, null);
    TableFormat without = TableBench.format(1024, 16, CompressionType.SNAPPY);
    byte[] cpp = TableBench.build(without, BYTEWISE, entries);
    byte[] kv = TableBench.build(with, BYTEWISE, entries);
    assertThat(propertiesOf(cpp, BYTEWISE, null)).isNull();
    assertThat(kv.length - cpp.length).isBetween(50, 150);
    int data = (int) footer(cpp).metaindex().offset();
    assertThat(java.util.Arrays.copyOf(kv, data)).isEqualTo(java.util.Arrays.copyOf(cpp, data));
  }

  private static Footer footer(byte[] bytes) {
    byte[] end = java.util.Arrays.copyOfRange(bytes, bytes.length - Footer.SIZE, bytes.length);
    ByteBuffer source = ByteBuffer.wrap(end).order(ByteOrder.LITTLE_ENDIAN);
    return Footer.decode(source, "table", 0);
  }

  private Handle properties(byte[] bytes) throws IOException {
    Path file = Files.write(temp.resolve("000005.ldb"), bytes);
    try (TableContents inspector = new TableContents(Env.fileSystem(), file)) {
      return inspector.readHandles(inspector.footer().metaindex()).stream()
          .filter(entry -> new String(entry.key()).equals(TableProperties.KEY))
          .findFirst()
          .orElseThrow()
          .handle();
    }
  }

  private static @Nullable TableProperties propertiesOf(
      byte[] bytes, KeyComparator order, @Nullable FilterPolicy policy) {
    try (TableBench bench = new TableBench(0)) {
      Table table = bench.open(MemoryFile.reading(bytes), order, policy);
      TableProperties found = table.properties();
      table.free();
      return found;
    }
  }

  private static void expectEntries(byte[] bytes, Entries expected, @Nullable FilterPolicy policy) {
    try (TableBench bench = new TableBench(0)) {
      Table table = bench.open(MemoryFile.reading(bytes), BYTEWISE, policy);
      try (TableIterator cursor = TableBench.cursor(table, ReadFlags.DEFAULT)) {
        int seen = 0;
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
          assertThat(CursorModel.key(cursor)).isEqualTo(expected.list().get(seen++).key());
        }
        assertThat(seen).isEqualTo(expected.list().size());
      }
      table.free();
    }
  }
}
