package dev.kv.core.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.admin.RepairReport;
import dev.kv.bytes.DBComparator;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.inspect.TableContents;
import dev.kv.core.inspect.TableContents.Handle;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.RandomAccessFile;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tables that cannot be opened, for their footer, index or filter is damaged: what a repair brings
 * back of them.
 */
class RepairLostIndexTest {
  private static final int ENTRIES = 400;
  private static final int TRAILER = 5;

  @TempDir Path temp;

  /** The data blocks of the only table, and how many entries each has. */
  private final List<Handle> blocks = new ArrayList<>();

  private final List<Integer> entries = new ArrayList<>();
  private TableContents.Roots footer;
  private Path directory;
  private Path table;
  private byte[] whole;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static Options options(CompressionType compression) {
    return Options.builder()
        .createIfMissing(true)
        .compression(compression)
        .blockSize(1 << 10)
        .build();
  }

  private static String value(int i) {
    return ("value" + i + ".").repeat(12);
  }

  /** Makes a database of one table. */
  private void fill(Options options) throws IOException {
    Map<String, String> content = new TreeMap<>();
    for (int i = 0; i < ENTRIES; i++) {
      content.put("key" + (1000 + i), value(i));
    }
    fill(options, content);
  }

  private void fill(Options options, Map<String, String> content) throws IOException {
    directory = temp.resolve("db");
    try (DB db = DB.open(directory, options)) {
      content.forEach((key, value) -> db.put(bytes(key), bytes(value)));
      db.admin().flush();
    }
    table = onlyTable(directory);
    whole = Files.readAllBytes(table);
    try (TableContents inspector = new TableContents(Env.fileSystem(), table)) {
      footer = inspector.footer();
      for (TableContents.Named block : inspector.readHandles(footer.index())) {
        int[] count = new int[1];
        inspector.read(block.handle(), true);
        inspector.forEachEntry((key, value) -> count[0]++);
        blocks.add(block.handle());
        entries.add(count[0]);
      }
    }
  }

  private static Path onlyTable(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      List<Path> tables =
          files
              .filter(
                  file -> {
                    FileName name = FileNames.parse(file.getFileName().toString());
                    return name != null && name.kind() == FileName.Kind.TABLE;
                  })
              .toList();
      assertThat(tables).hasSize(1);
      return tables.get(0);
    }
  }

  private static byte[] flipped(byte[] bytes, long at) {
    byte[] damaged = bytes.clone();
    damaged[(int) at] ^= 0x10;
    return damaged;
  }

  private static Map<String, String> read(Path directory, Options options) {
    Map<String, String> entries = new TreeMap<>();
    try (DB db = DB.open(directory, options);
        DBIterator cursor = db.iterator()) {
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        entries.put(
            new String(cursor.key(), StandardCharsets.ISO_8859_1),
            new String(cursor.value(), StandardCharsets.ISO_8859_1));
      }
    }
    return entries;
  }

  private static long stored(Handle block) {
    return block.size() + TRAILER;
  }

  /**
   * Damages the table so, repairs, and expects all entries but those of the blocks {@code lost}.
   */
  private void expect(byte[] damaged, Options options, long bytesLost, Integer... lost)
      throws IOException {
    Files.write(table, damaged);
    RepairReport report = DB.repair(directory, options);
    List<Integer> gone = List.of(lost);
    Map<String, String> expected = new TreeMap<>();
    int next = 0;
    for (int block = 0; block < blocks.size(); block++) {
      for (int i = 0; i < entries.get(block); i++) {
        if (!gone.contains(block)) {
          expected.put("key" + (1000 + next), value(next));
        }
        next++;
      }
    }
    assertThat(next).isEqualTo(ENTRIES);
    assertThat(report.entries()).isEqualTo(expected.size());
    assertThat(report.tablesRewritten()).isEqualTo(1);
    assertThat(report.tablesKept()).isZero();
    assertThat(report.bytesLost()).isEqualTo(bytesLost);
    assertThat(directory.resolve("lost").resolve(table.getFileName())).hasBinaryContent(damaged);
    assertThat(read(directory, options)).isEqualTo(expected);
  }

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void repair_footerCutOff_bringsEverythingBack(CompressionType compression) throws IOException {
    fill(options(compression));
    expect(
        Arrays.copyOf(whole, whole.length - TableContents.FOOTER_BYTES), options(compression), 0);
  }

  @Test
  void repair_magicDamaged_bringsEverythingBack() throws IOException {
    fill(options(CompressionType.NONE));
    expect(flipped(whole, whole.length - 1), options(CompressionType.NONE), 0);
  }

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void repair_indexDamaged_bringsEverythingBack(CompressionType compression) throws IOException {
    fill(options(compression));
    expect(flipped(whole, footer.index().offset() + 20), options(compression), 0);
  }

  @Test
  void repair_filterDamaged_bringsEverythingBack() throws IOException {
    Options options =
        options(CompressionType.SNAPPY).toBuilder().filterPolicy(FilterPolicy.bloom(10)).build();
    fill(options);
    Handle filter;
    try (TableContents inspector = new TableContents(Env.fileSystem(), table)) {
      filter = inspector.readHandles(footer.metaindex()).get(0).handle();
    }
    expect(flipped(whole, filter.offset() + 10), options, 0);
  }

  @Test
  void repair_propertiesAndIndexDamaged_bringsEverythingBack() throws IOException {
    fill(options(CompressionType.SNAPPY));
    Handle last = blocks.get(blocks.size() - 1);
    long properties = footer.metaindex().offset() - last.offset() - stored(last);
    byte[] damaged = flipped(whole, footer.metaindex().offset() - 30);
    damaged = flipped(damaged, footer.index().offset() + 20);
    expect(damaged, options(CompressionType.SNAPPY), properties);
  }

  @Test
  void repair_indexOfATableWithAFilterDamaged_bringsEverythingBack() throws IOException {
    Options options =
        options(CompressionType.SNAPPY).toBuilder().filterPolicy(FilterPolicy.bloom(10)).build();
    fill(options);
    expect(flipped(whole, footer.index().offset() + 20), options, 0);
  }

  @Test
  void repair_cutInAnyBlock_bringsTheBlocksBeforeBack() throws IOException {
    fill(options(CompressionType.NONE));
    int half = blocks.size() / 2;
    Integer[] behind = new Integer[blocks.size() - half];
    Arrays.setAll(behind, i -> half + i);
    Handle cut = blocks.get(half);
    byte[] damaged = Arrays.copyOf(whole, (int) (cut.offset() + stored(cut) - 1));
    expect(damaged, options(CompressionType.NONE), whole.length - cut.offset(), behind);
  }

  @Test
  void repair_footerAndBlockDamaged_losesThatBlock() throws IOException {
    fill(options(CompressionType.NONE));
    Handle hit = blocks.get(3);
    byte[] damaged = flipped(flipped(whole, whole.length - 1), hit.offset() + 100);
    expect(damaged, options(CompressionType.NONE), hit.size(), 3);
  }

  @Test
  void repair_indexAndBlocksDamaged_losesThoseBlocks() throws IOException {
    fill(options(CompressionType.SNAPPY));
    byte[] damaged = flipped(whole, footer.index().offset() + 20);
    for (int hit : new int[] {0, 7, 8, 20, blocks.size() - 1}) {
      damaged = flipped(damaged, blocks.get(hit).offset() + 30);
    }
    long lost =
        Stream.of(0, 7, 8, 20, blocks.size() - 1).mapToLong(i -> stored(blocks.get(i))).sum();
    expect(damaged, options(CompressionType.SNAPPY), lost, 0, 7, 8, 20, blocks.size() - 1);
  }

  @Test
  void repair_cutAndBlockDamaged_losesThatBlockAndTheRest() throws IOException {
    fill(options(CompressionType.NONE));
    int half = blocks.size() / 2;
    Integer[] lost = new Integer[blocks.size() - half + 1];
    Arrays.setAll(lost, i -> i == 0 ? 2 : half + i - 1);
    byte[] damaged = Arrays.copyOf(whole, (int) blocks.get(half).offset() + 10);
    damaged = flipped(damaged, blocks.get(2).offset() + 1);
    long bytesLost = stored(blocks.get(2)) + whole.length - blocks.get(half).offset();
    expect(damaged, options(CompressionType.NONE), bytesLost, lost);
  }

  /** An environment whose disk cannot read a byte of the table. */
  private Env unreadable(long at) {
    return new ForwardingEnv(Env.fileSystem()) {
      @Override
      public RandomAccessFile openRandomAccess(Path path, boolean mapped) throws IOException {
        RandomAccessFile file = super.openRandomAccess(path, false);
        return !path.equals(table)
            ? file
            : new RandomAccessFile() {
              @Override
              public int read(long position, ByteBuffer into, int offset, int length)
                  throws IOException {
                if (position <= at && at < position + length) {
                  throw new IOException("Input/output error");
                }
                return file.read(position, into, offset, length);
              }

              @Override
              public long size() {
                return file.size();
              }

              @Override
              public long mappedBytes() {
                return 0;
              }

              @Override
              public void close() throws IOException {
                file.close();
              }
            };
      }
    };
  }

  /** Makes a database whose table has zeros in place of its footer. */
  private void fillWithoutFooter() throws IOException {
    fill(options(CompressionType.NONE));
    Arrays.fill(whole, whole.length - 48, whole.length, (byte) 0);
    Files.write(table, whole);
  }

  @Test
  void repair_blockOnABadSector_isRefused() throws IOException {
    fill(options(CompressionType.NONE));
    assertRefused(unreadable(blocks.get(3).offset() + 10));
  }

  @Test
  void repair_footerOnABadSector_isRefused() throws IOException {
    fill(options(CompressionType.NONE));
    assertRefused(unreadable(whole.length - 1));
  }

  @Test
  void repair_lostFooterAndBlockOnABadSector_isRefused() throws IOException {
    fillWithoutFooter();
    assertRefused(unreadable(blocks.get(3).offset() + 10));
  }

  private void assertRefused(Env env) {
    Options options = options(CompressionType.NONE).toBuilder().env(env).build();
    assertThatThrownBy(() -> DB.repair(directory, options))
        .isInstanceOf(DBIOException.class)
        .hasMessageContaining(table.toString())
        .hasMessageContaining("Input/output error; no file was changed");
    assertThat(table).hasBinaryContent(whole);
  }

  /** The copy that the message of a refused repair asks for: zeros in place of the bad sectors. */
  @Test
  void repair_copyWithZerosInPlaceOfBadSectors_bringsBackTheRest() throws IOException {
    fill(options(CompressionType.NONE));
    int piece = (whole.length - 1) / 4096 * 4096;
    Integer[] lost =
        IntStream.range(0, blocks.size())
            .filter(i -> blocks.get(i).offset() + stored(blocks.get(i)) > piece)
            .boxed()
            .toArray(Integer[]::new);
    assertThat(lost).hasSizeBetween(1, blocks.size() / 2);
    byte[] copy = Arrays.copyOf(Arrays.copyOf(whole, piece), whole.length);
    long end = blocks.get(lost[0]).offset();
    expect(copy, options(CompressionType.NONE), whole.length - end, lost);
  }

  @Test
  void repair_nothingWhole_losesTheTable() throws IOException {
    fill(options(CompressionType.NONE));
    byte[] damaged = whole.clone();
    for (int at = 0; at < damaged.length; at += 8) {
      damaged[at] ^= 1;
    }
    Files.write(table, damaged);
    RepairReport report = DB.repair(directory, options(CompressionType.NONE));
    assertThat(report.entries()).isZero();
    assertThat(report.tablesRewritten()).isZero();
    assertThat(report.bytesLost()).isEqualTo(damaged.length);
    assertThat(directory.resolve("lost").resolve(table.getFileName())).hasBinaryContent(damaged);
  }

  @Test
  void repair_emptyTable_losesTheBytesThatTheManifestNames() throws IOException {
    fill(options(CompressionType.NONE));
    Files.write(table, new byte[0]);
    RepairReport report = DB.repair(directory, options(CompressionType.NONE));
    assertThat(report.bytesLost()).isEqualTo(whole.length);
  }

  /** The older of two tables loses its index, and there is no MANIFEST to tell which is older. */
  @Test
  void repair_indexOfAnOldTableDamaged_bringsNoStaleOrDeletedValueBack() throws IOException {
    Options options = options(CompressionType.NONE);
    fill(options);
    Map<String, String> expected = new TreeMap<>();
    try (DB db = DB.open(directory, options)) {
      db.admin().suspendCompactions();
      for (int i = 0; i < ENTRIES; i++) {
        byte[] key = bytes("key" + (1000 + i));
        if (i % 3 == 0) {
          db.delete(key);
        } else {
          expected.put("key" + (1000 + i), i % 3 == 1 ? value(i) : "newer");
        }
        if (i % 3 == 2) {
          db.put(key, bytes("newer"));
        }
      }
      db.admin().flush();
    }
    Files.write(table, flipped(whole, footer.index().offset() + 20));
    Files.delete(directory.resolve("CURRENT"));
    RepairReport report = DB.repair(directory, options);
    assertThat(report.entries()).isEqualTo(ENTRIES + ENTRIES * 2 / 3 + 1);
    assertThat(report.bytesLost()).isZero();
    assertThat(read(directory, options)).isEqualTo(expected);
  }

  /** What an interrupted compaction left behind, and what was deleted for good since. */
  @Test
  void repair_unfinishedTableThatNoManifestNames_bringsNothingBackOfIt() throws IOException {
    Options options = options(CompressionType.NONE);
    fill(options);
    Map<String, String> expected = new TreeMap<>();
    try (DB db = DB.open(directory, options)) {
      for (int i = 0; i < ENTRIES; i++) {
        byte[] key = bytes("key" + (1000 + i));
        if (i % 2 == 0) {
          db.delete(key);
        } else {
          expected.put("key" + (1000 + i), value(i));
        }
      }
      db.admin().compactRange(null, null);
    }
    Path unfinished = FileNames.table(directory, 1000);
    Files.write(unfinished, Arrays.copyOf(whole, whole.length - TableContents.FOOTER_BYTES));
    RepairReport report = DB.repair(directory, options);
    assertThat(report.bytesLost()).isZero();
    assertThat(report.filesLost()).isZero();
    assertThat(report.tablesRewritten()).isZero();
    assertThat(directory.resolve("lost").resolve(unfinished.getFileName())).exists();
    assertThat(read(directory, options)).isEqualTo(expected);
  }

  /**
   * An index of one block names it as a value could; with that block damaged, nothing else tells
   * what it is.
   */
  @Test
  void repair_footerAndOnlyBlockDamaged_takesTheIndexForNoData() throws IOException {
    fill(options(CompressionType.NONE), Map.of("a", "1", "b", "2"));
    assertThat(blocks).hasSize(1);
    Files.write(table, flipped(flipped(whole, 5), whole.length - 1));
    RepairReport report = DB.repair(directory, options(CompressionType.NONE));
    assertThat(report.entries()).isZero();
    assertThat(read(directory, options(CompressionType.NONE))).isEmpty();
  }

  /** Values that look like the handles of an index, and keys like those of a metaindex. */
  @Test
  void repair_indexDamaged_takesDataForNoIndex() throws IOException {
    Map<String, String> content = new TreeMap<>();
    for (int i = 0; i < 300; i++) {
      content.put("filter." + (1000 + i), i % 2 == 0 ? "ab" : "\0\7");
    }
    fill(options(CompressionType.NONE), content);
    assertThat(blocks).hasSizeGreaterThan(3);
    Files.write(table, flipped(whole, footer.index().offset() + 20));
    RepairReport report = DB.repair(directory, options(CompressionType.NONE));
    assertThat(report.entries()).isEqualTo(300);
    assertThat(report.bytesLost()).isZero();
    assertThat(read(directory, options(CompressionType.NONE))).isEqualTo(content);
  }

  /** A damaged block leaves a table readable that was one of its values. */
  @ParameterizedTest
  @CsvSource({
    "WHOLE, true",
    "WHOLE, false",
    "BLOCKS, true",
    "BLOCKS, false",
    "END, true",
    "END, false"
  })
  void repair_indexAndBlocksWithTablesInThemDamaged_bringsNoEntryOfThoseBack(
      Part part, boolean hasManifest) throws IOException {
    fill(options(CompressionType.NONE));
    String inner = part.of(this);
    blocks.clear();
    entries.clear();
    temp = Files.createDirectory(temp.resolve("outer"));
    Map<String, String> content = new TreeMap<>();
    for (int i = 0; i < 100; i++) {
      content.put("file" + (1000 + i), i == 50 || i == 99 ? inner : value(i));
    }
    fill(options(CompressionType.NONE), content);
    byte[] damaged = flipped(whole, footer.index().offset() + 20);
    for (Handle block : blocks) {
      damaged = block.size() > 5000 ? flipped(damaged, block.offset() + 3) : damaged;
    }
    Files.write(table, damaged);
    if (!hasManifest) {
      Files.delete(directory.resolve("CURRENT"));
    }
    DB.repair(directory, options(CompressionType.NONE));
    Map<String, String> found = read(directory, options(CompressionType.NONE));
    assertThat(content).containsAllEntriesOf(found);
    assertThat(found.size()).isGreaterThan(hasManifest ? 80 : 40);
  }

  /** What of a table a value holds. */
  private enum Part {
    WHOLE,
    BLOCKS,
    END;

    String of(RepairLostIndexTest inner) {
      int from = (int) (this == END ? inner.blocks.get(10).offset() : 0);
      int to = this == BLOCKS ? (int) inner.blocks.get(20).offset() + 50 : inner.whole.length;
      return new String(Arrays.copyOfRange(inner.whole, from, to), StandardCharsets.ISO_8859_1);
    }
  }

  @Test
  void repair_footerDamagedUnderAnotherOrder_isRefused() throws IOException {
    fill(options(CompressionType.NONE));
    byte[] damaged = flipped(whole, footer.index().offset() + 20);
    Files.write(table, damaged);
    Files.delete(directory.resolve("CURRENT"));
    Options reversed =
        options(CompressionType.NONE).toBuilder()
            .comparator(DBComparator.of("test.Reverse", (a, b) -> b.compareTo(a)))
            .build();
    assertThatThrownBy(() -> DB.repair(directory, reversed))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("test.Reverse");
    assertThat(table).hasBinaryContent(damaged);
  }

  @Test
  void open_indexDamaged_isStillRefused() throws IOException {
    fill(options(CompressionType.NONE));
    Files.write(table, flipped(whole, footer.index().offset() + 20));
    assertThatThrownBy(() -> read(directory, options(CompressionType.NONE)))
        .isInstanceOf(CorruptionException.class);
  }
}
