package dev.kv.core.table;

import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.Options;
import dev.kv.SharedResources;
import dev.kv.bytes.DBComparator;
import dev.kv.core.cache.CacheHandle;
import dev.kv.core.cache.LruCache;
import dev.kv.core.env.FileEnv;
import dev.kv.core.env.FileNames;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.BlockAllocator;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.shared.SharedResourcesImpl;
import dev.kv.core.table.block.CursorModel;
import dev.kv.core.table.block.Entries;
import dev.kv.core.table.cache.CachedBlock;
import dev.kv.core.table.cache.LookupCounts;
import dev.kv.core.table.cache.TableLookup;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionBuilder;
import dev.kv.core.version.VersionEdit;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingRandomAccessFile;
import dev.kv.env.RandomAccessFile;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBIOException;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TableCacheTest {
  private static final InternalKeyComparator BYTEWISE =
      new InternalKeyComparator(DBComparator.bytewise());

  @TempDir private Path directory;

  private final CountingEnv env = new CountingEnv();
  private final SharedResourcesImpl shared =
      new SharedResourcesImpl(
          SharedResources.builder().blockCacheSize(8 << 20).compactionThreads(1).settings());
  private final BlockAllocator allocator = shared.tableMemory().allocator();
  private final LruCache<CachedBlock> blocks = shared.blockCache();
  private final Entries entries = Entries.internal(BYTEWISE, new Random(1), 100);
  private final byte[] bytes =
      TableBench.build(TableBench.format(1024, 16, CompressionType.SNAPPY), BYTEWISE, entries);

  /** Counts the table files that are open, and those of them that are mapped. */
  private static final class CountingEnv extends ForwardingEnv {
    final AtomicInteger open = new AtomicInteger();
    final AtomicInteger mapped = new AtomicInteger();

    CountingEnv() {
      super(new FileEnv());
    }

    @Override
    public RandomAccessFile openRandomAccess(Path file, boolean map) throws IOException {
      RandomAccessFile opened = super.openRandomAccess(file, map);
      open.incrementAndGet();
      int maps = opened.mappedBytes() > 0 ? 1 : 0;
      mapped.addAndGet(maps);
      return new ForwardingRandomAccessFile(opened) {
        @Override
        public void close() throws IOException {
          open.decrementAndGet();
          mapped.addAndGet(-maps);
          super.close();
        }
      };
    }
  }

  private TableCache cache(Options.Builder options) {
    return new TableCache(directory, options.env(env).build(), BYTEWISE, shared.tableMemory());
  }

  private FileMetadata table(long number) throws IOException {
    Files.write(FileNames.table(directory, number), bytes);
    return metadata(number, bytes.length);
  }

  private FileMetadata metadata(long number, long size) {
    byte[] first = entries.list().get(0).key();
    byte[] last = entries.list().get(entries.list().size() - 1).key();
    return new FileMetadata(number, size, first, last);
  }

  @AfterEach
  void everythingIsGivenBack() {
    shared.close();
    assertThat(allocator.liveBuffers()).isZero();
    assertThat(env.open.get()).isZero();
  }

  @Test
  void iterator_table_followsTheModelAndPinsTheTable() throws IOException {
    try (TableCache cache = cache(Options.builder())) {
      FileMetadata file = table(5);
      try (TableIterator cursor = cache.iterator(file, true, true)) {
        new CursorModel(cursor, entries, new Random(3), true).run(200);
        cache.evict(5);
        assertThat(env.open.get()).isEqualTo(1);
        new CursorModel(cursor, entries, new Random(4), true).run(200);
      }
      assertThat(env.open.get()).isZero();
    }
  }

  @Test
  void acquire_tableWithOtherKeysThanItsMetadata_isCorruption() throws IOException {
    byte[] first = entries.list().get(0).key();
    byte[] second = entries.list().get(1).key();
    byte[] last = entries.list().get(entries.list().size() - 1).key();
    byte[] high = new byte[64];
    Arrays.fill(high, (byte) 0xff);
    byte[] after = InternalKey.encode(high, 1, ValueKind.VALUE);
    try (TableCache cache = cache(Options.builder())) {
      table(5);
      requireRefused(cache, after, after, "its first block ends at or before");
      requireRefused(cache, first, after, "its last block ends at or before");
      requireRefused(cache, first, second, "its last block begins after");
      cache.acquire(new FileMetadata(5, bytes.length, first, last)).close();
    }
  }

  private void requireRefused(TableCache cache, byte[] smallest, byte[] largest, String reason) {
    assertThatThrownBy(() -> cache.acquire(new FileMetadata(5, bytes.length, smallest, largest)))
        .isInstanceOfSatisfying(
            CorruptionException.class,
            e -> {
              assertThat(e.file()).endsWith("000005.ldb");
              assertThat(e.offset()).isPositive();
            })
        .hasMessageContaining("does not match the MANIFEST: " + reason);
    assertThat(env.open.get()).isZero();
  }

  @Test
  void acquire_tableOfUnknownKeys_isOpened() throws IOException {
    try (TableCache cache = cache(Options.builder())) {
      table(5);
      cache.acquire(FileMetadata.ofUnknownKeys(5, bytes.length)).close();
      assertThat(cache.openTables()).isEqualTo(1);
    }
  }

  @Test
  void get_allKeys_opensTheFileOnce() throws IOException {
    ValueRef out = new ValueRef();
    try (TableCache cache = cache(Options.builder());
        LookupKey key = new LookupKey(shared.budget());
        TableLookup lookup = cache.newLookup(key, out, new LookupCounts())) {
      FileMetadata file = table(5);
      for (Entries.Entry entry : entries.list()) {
        key.set(InternalKey.userKey(entry.key()), InternalKey.MAX_SEQUENCE);
        assertThat(get(cache, file, lookup)).isNotEqualTo(LookupResult.NOT_FOUND);
        out.release();
      }
      assertThat(env.open.get()).isEqualTo(1);
      assertThat(cache.openTables()).isEqualTo(1);
      CacheHandle<Table> remembered = cache.acquire(file);
      CacheHandle<Table> again = cache.acquire(file);
      assertThat(again).isSameAs(remembered);
      again.close();
      remembered.close();
    }
  }

  private static int get(TableCache cache, FileMetadata file, TableLookup lookup) {
    try (CacheHandle<Table> table = cache.acquire(file)) {
      return table.value().get(lookup);
    }
  }

  private Version version(int tables) throws IOException {
    VersionEdit.Builder edit = VersionEdit.builder();
    for (int number = 1; number <= tables; number++) {
      edit.addFile(0, table(number));
    }
    VersionBuilder builder = new VersionBuilder(Version.empty(BYTEWISE, freed -> {}), "test");
    builder.apply(edit.build());
    return builder.build(freed -> {});
  }

  @Test
  void get_tableOfAVersion_staysOpenUntilTheVersionIsFreed() throws IOException {
    ValueRef out = new ValueRef();
    Version version = version(1);
    try (TableCache cache = cache(Options.builder());
        LookupKey key = new LookupKey(shared.budget());
        TableLookup lookup = cache.newLookup(key, out, new LookupCounts())) {
      key.set(InternalKey.userKey(entries.list().get(0).key()), InternalKey.MAX_SEQUENCE);
      for (int i = 0; i < 3; i++) {
        assertThat(cache.get(version, 0, 0, lookup)).isNotEqualTo(LookupResult.NOT_FOUND);
        out.release();
        cache.evict(1);
        assertThat(env.open.get()).isEqualTo(1);
      }
      try (TableIterator cursor = cache.iterator(version, 0, 0, true, true)) {
        new CursorModel(cursor, entries, new Random(3), true).run(100);
      }
      assertThat(env.open.get()).isEqualTo(1);
      version.release();
      assertThat(env.open.get()).isZero();
    }
  }

  @Test
  void get_versionWithMoreTablesThanTheLimit_keepsNoneOpen() throws IOException {
    ValueRef out = new ValueRef();
    Version version = version(65);
    try (TableCache cache = cache(Options.builder().maxOpenFiles(74));
        LookupKey key = new LookupKey(shared.budget());
        TableLookup lookup = cache.newLookup(key, out, new LookupCounts())) {
      key.set(InternalKey.userKey(entries.list().get(0).key()), InternalKey.MAX_SEQUENCE);
      for (int i = 0; i < 65; i++) {
        assertThat(cache.get(version, 0, i, lookup)).isNotEqualTo(LookupResult.NOT_FOUND);
        out.release();
        try (TableIterator cursor = cache.iterator(version, 0, i, true, true)) {
          cursor.seekToFirst();
          assertThat(cursor.isValid()).isTrue();
        }
      }
      assertThat(env.open.get()).isEqualTo(64);
      cache.evict(65);
      cache.evict(1);
      assertThat(env.open.get()).isEqualTo(63);
      version.release();
    }
  }

  @Test
  void get_tablesOfAnotherVersionFillTheLimit_keepsNoneOpen() throws IOException {
    ValueRef out = new ValueRef();
    Version version = version(64);
    try (TableCache cache = cache(Options.builder().maxOpenFiles(74));
        LookupKey key = new LookupKey(shared.budget());
        TableLookup lookup = cache.newLookup(key, out, new LookupCounts())) {
      key.set(InternalKey.userKey(entries.list().get(0).key()), InternalKey.MAX_SEQUENCE);
      List<CacheHandle<Table>> others = new ArrayList<>();
      for (int number = 101; number <= 165; number++) {
        others.add(cache.acquire(table(number)));
      }
      cache.get(version, 0, 0, lookup);
      out.release();
      assertThat(version.pin(0, 0)).isNull();
      others.forEach(CacheHandle::close);
      cache.get(version, 0, 0, lookup);
      out.release();
      assertThat(version.pin(0, 0)).isNotNull();
      version.release();
    }
  }

  @Test
  void acquire_manyTables_keepsNoMoreOpenThanTheLimitAndPins() throws IOException {
    try (TableCache cache = cache(Options.builder().maxOpenFiles(74))) {
      List<FileMetadata> files = new ArrayList<>();
      for (int number = 1; number <= 200; number++) {
        files.add(table(number));
      }
      List<TableIterator> pins = new ArrayList<>();
      for (FileMetadata file : files.subList(0, 32)) {
        pins.add(cache.iterator(file, true, true));
        pins.get(pins.size() - 1).seekToFirst();
      }
      for (FileMetadata file : files) {
        cache.acquire(file).close();
        assertThat(env.open.get()).isLessThanOrEqualTo(64 + 32);
      }
      for (TableIterator pin : pins) {
        assertThat(pin.isValid()).isTrue();
        pin.close();
      }
      for (FileMetadata file : files) {
        cache.acquire(file).close();
      }
      assertThat(env.open.get()).isLessThanOrEqualTo(64);
      assertThat(cache.openTables()).isEqualTo(env.open.get());
    }
  }

  @Test
  void acquire_moreTablesThanMappings_readsTheOthersByPosition() throws IOException {
    try (TableCache cache = cache(Options.builder().memory(m -> m.maxMappedTables(3)))) {
      List<FileMetadata> files = new ArrayList<>();
      for (int number = 1; number <= 10; number++) {
        files.add(table(number));
        cache.acquire(files.get(number - 1)).close();
      }
      assertThat(env.mapped.get()).isEqualTo(3);
      assertThat(env.open.get()).isEqualTo(10);
      cache.evict(1);
      cache.evict(10);
      cache.acquire(table(11)).close();
      assertThat(env.mapped.get()).isEqualTo(3);
      for (FileMetadata file : files.subList(1, 9)) {
        try (TableIterator cursor = cache.iterator(file, true, false)) {
          cursor.seekToFirst();
          assertThat(CursorModel.key(cursor)).isEqualTo(entries.list().get(0).key());
        }
      }
    }
  }

  @Test
  void acquire_oldSuffix_isRead() throws IOException {
    try (TableCache cache = cache(Options.builder())) {
      Files.write(FileNames.oldTable(directory, 7), bytes);
      try (TableIterator cursor = cache.iterator(metadata(7, bytes.length), true, true)) {
        cursor.seekToLast();
        assertThat(CursorModel.key(cursor)).isEqualTo(entries.list().get(99).key());
      }
    }
  }

  @Test
  void acquire_missingFile_throwsAndTriesAgain() throws IOException {
    try (TableCache cache = cache(Options.builder())) {
      FileMetadata file = metadata(8, bytes.length);
      assertThatThrownBy(() -> cache.acquire(file))
          .isInstanceOf(DBIOException.class)
          .hasMessageContaining("000008.ldb")
          .hasCauseInstanceOf(NoSuchFileException.class);
      table(8);
      cache.acquire(file).close();
    }
  }

  @Test
  void acquire_fileShorterThanTheManifestSays_throws() throws IOException {
    try (TableCache cache = cache(Options.builder())) {
      table(9);
      assertThatThrownBy(() -> cache.acquire(metadata(9, bytes.length + 1)))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("of the MANIFEST")
          .hasMessageContaining("000009.ldb");
    }
  }

  @Test
  void close_pinnedCursor_keepsItsTableAndOpensNoOther() throws IOException {
    TableCache cache = cache(Options.builder());
    FileMetadata file = table(5);
    FileMetadata other = table(6);
    TableIterator cursor = cache.iterator(file, true, true);
    cursor.seekToFirst();
    cache.close();
    assertThat(env.open.get()).isEqualTo(1);
    assertThatThrownBy(() -> cache.acquire(file)).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(() -> cache.acquire(other)).isInstanceOf(DBClosedException.class);
    cursor.close();
    assertThat(env.open.get()).isZero();
  }

  @Test
  void evict_cachedBlocks_dropsThem() throws IOException {
    try (TableCache cache = cache(Options.builder())) {
      FileMetadata file = table(5);
      try (TableIterator cursor = cache.iterator(file, true, true)) {
        for (cursor.seekToFirst(); cursor.isValid(); ) {
          cursor.next();
        }
      }
      assertThat(blocks.totalCharge()).isPositive();
      cache.evict(5);
      assertThat(blocks.totalCharge()).isZero();
      assertThat(env.open.get()).isZero();
    }
  }

  @Test
  void evict_tableThatIsNotOpen_dropsItsBlocks() throws IOException {
    try (TableCache cache = cache(Options.builder().maxOpenFiles(74))) {
      for (int number = 1; number <= 65; number++) { // the last table closes the first
        try (TableIterator cursor = cache.iterator(table(number), true, true)) {
          cursor.seekToFirst();
        }
      }
      long all = blocks.totalCharge();
      assertThat(env.open.get()).isEqualTo(64);
      cache.evict(1);
      assertThat(env.open.get()).isEqualTo(64);
      assertThat(blocks.totalCharge()).isEqualTo(all * 64 / 65);
    }
  }

  @Test
  void openRaw_readsTheBytesAndPinsTheTable() throws IOException {
    try (TableCache cache = cache(Options.builder())) {
      FileMetadata file = table(5);
      RandomAccessFile raw = cache.openRaw(file);
      assertThat(raw.size()).isEqualTo(bytes.length);
      ByteBuffer into = ByteBuffer.allocateDirect(bytes.length + 1);
      assertThat(raw.read(0, into, 1, bytes.length)).isEqualTo(bytes.length);
      assertThat(into.slice(1, bytes.length)).isEqualTo(ByteBuffer.wrap(bytes));
      assertThat(raw.read(10, into, 0, 7)).isEqualTo(7);
      assertThat(into.slice(0, 7)).isEqualTo(ByteBuffer.wrap(bytes, 10, 7));
      assertThat(raw.read(bytes.length - 3, into, 0, 7)).isEqualTo(3);
      assertThat(raw.read(bytes.length + 3, into, 0, 7)).isZero();
      cache.evict(5);
      assertThat(env.open.get()).isEqualTo(1);
      raw.close();
      raw.close();
      assertThat(env.open.get()).isZero();
      assertThatThrownBy(() -> raw.read(0, into, 0, 1)).isInstanceOf(ClosedChannelException.class);
    }
  }

  @Test
  void mappedBytes_areThoseOfOpenMappedTables() throws IOException {
    try (TableCache cache = cache(Options.builder().memory(m -> m.maxMappedTables(1)))) {
      assertThat(cache.mappedBytes()).isZero();
      cache.acquire(table(5)).close();
      cache.acquire(table(6)).close();
      assertThat(cache.mappedBytes()).isEqualTo(bytes.length);
      cache.evict(5);
      assertThat(cache.mappedBytes()).isZero();
    }
  }

  @Test
  void blocks_ofTablesAndDatabasesThatShareTheCache_areTheirOwn() throws IOException {
    Entries others = Entries.internal(BYTEWISE, new Random(2), 100);
    byte[] otherBytes =
        TableBench.build(TableBench.format(1024, 16, CompressionType.SNAPPY), BYTEWISE, others);
    Path second = Files.createDirectory(directory.resolve("second"));
    Files.write(FileNames.table(directory, 6), otherBytes);
    Files.write(FileNames.table(second, 5), otherBytes);
    FileMetadata other = FileMetadata.ofUnknownKeys(6, otherBytes.length);
    FileMetadata same = FileMetadata.ofUnknownKeys(5, otherBytes.length);
    Options options = Options.builder().env(env).build();
    try (TableCache cache = cache(Options.builder());
        TableCache neighbor = new TableCache(second, options, BYTEWISE, shared.tableMemory())) {
      FileMetadata file = table(5);
      for (int pass = 0; pass < 2; pass++) {
        try (TableIterator first = cache.iterator(file, true, true);
            TableIterator next = cache.iterator(other, true, true);
            TableIterator foreign = neighbor.iterator(same, true, true)) {
          new CursorModel(first, entries, new Random(5), true).run(100);
          new CursorModel(next, others, new Random(6), true).run(100);
          new CursorModel(foreign, others, new Random(7), true).run(100);
        }
      }
    }
  }

  @Test
  void get_blocksThatStay_areReadOnceAndCounted() throws IOException {
    LookupCounts counts = new LookupCounts();
    ValueRef out = new ValueRef();
    try (TableCache cache = cache(Options.builder());
        LookupKey key = new LookupKey(shared.budget());
        TableLookup lookup = cache.newLookup(key, out, counts)) {
      FileMetadata file = table(5);
      for (int i = 0; i < 3; i++) {
        key.set(InternalKey.userKey(entries.list().get(50).key()), InternalKey.MAX_SEQUENCE);
        get(cache, file, lookup);
        out.release();
      }
      long[] sums = new long[LookupCounts.COUNT];
      sums[LookupCounts.BLOCKS] = 10;
      counts.addTo(sums);
      assertThat(sums[LookupCounts.BLOCKS]).isEqualTo(13);
      assertThat(blocks.misses()).isEqualTo(1);
      assertThat(blocks.hits()).isEqualTo(2);
    }
  }

  @Test
  void approximateOffsetOf_lastKey_isNearTheEnd() throws IOException {
    try (TableCache cache = cache(Options.builder())) {
      FileMetadata file = table(5);
      byte[] last = file.largest();
      long offset = cache.approximateOffsetOf(file, direct(last), 0, last.length);
      assertThat(offset).isBetween(bytes.length / 2L, (long) bytes.length);
      byte[] first = file.smallest();
      assertThat(cache.approximateOffsetOf(file, direct(first), 0, first.length)).isZero();
    }
  }

  @Test
  void blockId_afterMoreIdsThanFit_isNotThatOfAnotherDatabase() {
    try (TableCache first = cache(Options.builder())) {
      for (int i = 1; i < 1 << 24; i++) {
        blocks.newId();
      }
      try (TableCache other = cache(Options.builder())) {
        assertThat(other.blockId(5)).isNotEqualTo(first.blockId(5));
        assertThat(first.blockId(5)).isEqualTo(first.blockId(5));
      }
    }
  }
}
