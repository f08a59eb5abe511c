package dev.kv.core.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.Options;
import dev.kv.SharedResources;
import dev.kv.bytes.DBComparator;
import dev.kv.core.cache.CacheHandle;
import dev.kv.core.db.LeakCheck;
import dev.kv.core.env.FileNames;
import dev.kv.core.env.MappedBytes;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.shared.SharedResourcesImpl;
import dev.kv.core.table.cache.LookupCounts;
import dev.kv.core.table.cache.TableLookup;
import dev.kv.core.version.FileMetadata;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingRandomAccessFile;
import dev.kv.env.RandomAccessFile;
import dev.kv.errors.CorruptionException;
import dev.kv.options.CompressionType;
import dev.kv.table.TableWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lookups in the mapping of a table: what they read, and what they notice. */
@ExtendWith(LeakCheck.class)
class MappedTableTest {
  private static final InternalKeyComparator ORDER =
      new InternalKeyComparator(DBComparator.bytewise());
  private static final int KEYS = 1000;
  private static final int VALUE = 100;

  @TempDir private Path directory;

  private final SharedResourcesImpl shared =
      new SharedResourcesImpl(
          SharedResources.builder().blockCacheSize(8 << 20).compactionThreads(1).settings());
  private final LookupCounts counts = new LookupCounts();
  private final AtomicInteger copies = new AtomicInteger();
  private final AtomicInteger absorbed = new AtomicInteger();

  @AfterEach
  void everythingIsGivenBack() {
    shared.close();
    assertThat(shared.tableMemory().allocator().liveBuffers()).isZero();
    assertThat(shared.budget().used(MemoryKind.INDEX_AND_FILTER)).isZero();
  }

  private static byte[] key(int i) {
    return String.format(Locale.ROOT, "key%06d", i).getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] value(int i, int length) {
    byte[] value = new byte[length];
    Arrays.fill(value, (byte) ('a' + i % 26));
    return value;
  }

  private FileMetadata table(int number, int blockSize, CompressionType compression, int valueSize)
      throws IOException {
    Path path = FileNames.table(directory, number);
    Options options = Options.builder().blockSize(blockSize).compression(compression).build();
    try (TableWriter writer = TableWriter.forIngest(path, options)) {
      for (int i = 0; i < KEYS; i += 2) {
        writer.put(key(i), value(i, valueSize));
      }
      writer.finish();
    }
    return FileMetadata.ofUnknownKeys(number, Files.size(path));
  }

  /** Counts the copies out of mappings, and the faults that were absorbed. */
  private static final class Mapping extends ForwardingRandomAccessFile implements MappedBytes {
    private final MappedBytes mapped;
    private final AtomicInteger copies;
    private final AtomicInteger absorbed;

    Mapping(RandomAccessFile file, AtomicInteger copies, AtomicInteger absorbed) {
      super(file);
      this.mapped = (MappedBytes) file;
      this.copies = copies;
      this.absorbed = absorbed;
    }

    @Override
    public int read(long position, ByteBuffer into, int offset, int length) throws IOException {
      copies.incrementAndGet();
      return super.read(position, into, offset, length);
    }

    @Override
    public ByteBuffer mapping() {
      return mapped.mapping();
    }

    @Override
    public void absorbFault() {
      absorbed.incrementAndGet();
      mapped.absorbFault();
    }

    @Override
    public boolean absorbMissedFault() {
      return mapped.absorbMissedFault();
    }
  }

  private TableCache cache() {
    Env env =
        new ForwardingEnv(Env.fileSystem()) {
          @Override
          public RandomAccessFile openRandomAccess(Path path, boolean map) throws IOException {
            return new Mapping(super.openRandomAccess(path, map), copies, absorbed);
          }
        };
    Options options =
        Options.builder()
            .env(env)
            .tables(t -> t.readInPlace(true))
            .compression(CompressionType.NONE)
            .build();
    return new TableCache(directory, options, ORDER, shared.tableMemory());
  }

  /** Returns the value of a key, or null. */
  private byte @Nullable [] get(TableCache cache, FileMetadata file, int key) {
    ValueRef out = new ValueRef();
    try (LookupKey wanted = new LookupKey(shared.budget());
        TableLookup lookup = cache.newLookup(wanted, out, counts);
        CacheHandle<Table> table = cache.acquire(file)) {
      wanted.set(key(key), InternalKey.MAX_SEQUENCE);
      if (table.value().get(lookup) != LookupResult.FOUND) {
        return null;
      }
      byte[] value = new byte[out.length];
      out.buffer.get(out.offset, value);
      out.release();
      return value;
    }
  }

  private void checkAll(TableCache cache, FileMetadata file, int valueSize) {
    List<Integer> misread = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      byte[] expected = i % 2 == 0 ? value(i, valueSize) : null;
      if (!Arrays.equals(get(cache, file, i), expected)) {
        misread.add(i);
      }
    }
    assertThat(misread).isEmpty();
  }

  private long entryIndexBytes() {
    return shared.tableMemory().entryIndexes().bytes();
  }

  @ParameterizedTest
  @ValueSource(ints = {1 << 10, 4 << 10, 32 << 10})
  void get_uncompressed_neverUsesTheBlockCache(int blockSize) throws IOException {
    try (TableCache cache = cache()) {
      FileMetadata file = table(5, blockSize, CompressionType.NONE, VALUE);
      checkAll(cache, file, VALUE);
      checkAll(cache, file, VALUE);
      copies.set(0);
      checkAll(cache, file, VALUE);
      assertThat(copies).as("nothing is copied any more").hasValue(0);
      assertThat(absorbed).hasValue(0);
      try (TableIterator cursor = cache.iterator(file, true, true)) {
        int entries = 0;
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
          entries++;
        }
        assertThat(entries).isEqualTo(KEYS / 2);
      }
      assertThat(shared.blockCache().totalCharge()).isZero();
      assertThat(shared.blockCache().misses()).isZero();
      assertThat(entryIndexBytes()).isPositive();
      cache.evict(5);
      assertThat(entryIndexBytes()).isZero();
    }
  }

  @Test
  void cursor_inPlace_copiesBlocksIntoMemoryThatItKeeps() throws IOException {
    FileMetadata file = table(5, 1 << 10, CompressionType.NONE, VALUE);
    try (TableCache cache = cache();
        TableIterator cursor = cache.iterator(file, true, true)) {
      long buffers = shared.tableMemory().allocator().liveBuffers();
      List<Integer> misread = new ArrayList<>();
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < KEYS; i += 7) {
          seek(cursor, i);
          int expected = i + i % 2;
          if (expected < KEYS != cursor.isValid()
              || cursor.isValid() && !Arrays.equals(value(expected, VALUE), valueOf(cursor))) {
            misread.add(i);
          }
        }
      }
      assertThat(misread).isEmpty();
      assertThat(shared.tableMemory().allocator().liveBuffers()).isEqualTo(buffers);
      assertThat(entryIndexBytes()).as("the second round wrote entry indexes").isPositive();
    }
  }

  private void seek(TableIterator cursor, int key) {
    try (LookupKey target = new LookupKey(shared.budget())) {
      target.set(key(key), InternalKey.MAX_SEQUENCE);
      cursor.seek(target.buffer(), 0, target.internalKeyLength());
    }
  }

  private static byte[] valueOf(TableIterator cursor) {
    byte[] value = new byte[cursor.valueLength()];
    cursor.valueBuffer().get(cursor.valueOffset(), value);
    return value;
  }

  @Test
  void get_valuesOfManySizes_areCopied() throws IOException {
    int[] sizes = {0, 1, 4000, 5000, 100_000};
    try (TableCache cache = cache()) {
      for (int i = 0; i < sizes.length; i++) {
        FileMetadata file = table(10 + i, 4 << 10, CompressionType.NONE, sizes[i]);
        for (int key = 0; key < 20; key += 2) {
          assertThat(get(cache, file, key)).isEqualTo(value(key, sizes[i]));
          assertThat(get(cache, file, key + 1)).isNull();
        }
      }
      assertThat(shared.blockCache().misses()).isZero();
    }
  }

  @Test
  void get_compressed_usesTheBlockCache() throws IOException {
    try (TableCache cache = cache()) {
      FileMetadata file = table(5, 4 << 10, CompressionType.SNAPPY, VALUE);
      checkAll(cache, file, VALUE);
      checkAll(cache, file, VALUE);
      assertThat(shared.blockCache().misses()).isPositive();
      assertThat(shared.blockCache().hits()).isPositive();
      assertThat(entryIndexBytes()).isZero();
      assertThat(absorbed).as("no search in the mapping").hasValue(0);
    }
  }

  @Test
  void get_damagedBeforeTheFirstVisit_throwsUntilItIsMended() throws IOException {
    try (TableCache cache = cache()) {
      FileMetadata file = table(5, 4 << 10, CompressionType.NONE, VALUE);
      flip(50);
      assertDamaged(cache, file, 0);
      assertDamaged(cache, file, 0);
      assertThat(get(cache, file, KEYS - 2)).isEqualTo(value(KEYS - 2, VALUE));
      flip(50);
      checkAll(cache, file, VALUE);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void get_changedTrailerAfterVisits_throwsUntilItIsMended(int visits) throws IOException {
    try (TableCache cache = cache()) {
      FileMetadata file = table(5, 4 << 10, CompressionType.NONE, VALUE);
      for (int i = 0; i < visits; i++) {
        checkAll(cache, file, VALUE);
      }
      long trailer = sizeOfTheFirstBlock(cache, file) + 1L;
      flip(trailer);
      assertDamaged(cache, file, 0);
      assertThat(absorbed).hasPositiveValue();
      assertThatThrownBy(
              () -> {
                try (TableIterator cursor = cache.iterator(file, true, true)) {
                  cursor.seekToFirst();
                }
              })
          .isInstanceOf(CorruptionException.class);
      flip(trailer);
      checkAll(cache, file, VALUE);
      assertThat(shared.blockCache().totalCharge()).isZero();
    }
  }

  private static int sizeOfTheFirstBlock(TableCache cache, FileMetadata file) {
    CacheHandle<Table> table = cache.acquire(file);
    int size = table.value().index().size(0);
    table.close();
    return size;
  }

  private void assertDamaged(TableCache cache, FileMetadata file, int key) {
    assertThatThrownBy(() -> get(cache, file, key))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("000005.ldb");
  }

  /** Changes a byte of the file, which its mapping shows at once. */
  private void flip(long at) throws IOException {
    try (java.io.RandomAccessFile file =
        new java.io.RandomAccessFile(FileNames.table(directory, 5).toFile(), "rw")) {
      file.seek(at);
      int old = file.read();
      file.seek(at);
      file.write(old ^ 1);
    }
  }

  @Test
  void entryIndexes_ofSeveralTables_areCountedTogether() throws IOException {
    try (TableCache cache = cache()) {
      FileMetadata first = table(5, 4 << 10, CompressionType.NONE, VALUE);
      FileMetadata second = table(6, 4 << 10, CompressionType.NONE, VALUE);
      checkAll(cache, first, VALUE);
      assertThat(entryIndexBytes()).as("from the second visit of a block on").isPositive();
      long each = entryIndexBytes();
      checkAll(cache, second, VALUE);
      checkAll(cache, first, VALUE);
      assertThat(entryIndexBytes()).isEqualTo(2 * each);
      cache.evict(5);
      assertThat(entryIndexBytes()).isEqualTo(each);
    }
  }

  private long counted(int count) {
    long[] sums = new long[LookupCounts.COUNT];
    counts.addTo(sums);
    return sums[count];
  }

  @ParameterizedTest
  @EnumSource(names = {"NONE", "SNAPPY"})
  void get_missingKeyAgain_isAnsweredWithoutTheBlock(CompressionType compression)
      throws IOException {
    try (TableCache cache = cache()) {
      FileMetadata file = table(5, 4 << 10, compression, VALUE);
      assertThat(get(cache, file, 1)).isNull();
      assertThat(counted(LookupCounts.BLOCKS)).isEqualTo(1);
      assertThat(counted(LookupCounts.CACHED_NEGATIVES)).isZero();
      assertThat(get(cache, file, 1)).isNull();
      assertThat(counted(LookupCounts.BLOCKS)).isEqualTo(1);
      assertThat(counted(LookupCounts.CACHED_NEGATIVES)).isEqualTo(1);
      assertThat(get(cache, file, 2)).isEqualTo(value(2, VALUE));
      assertThat(counted(LookupCounts.BLOCKS)).isEqualTo(2);
    }
  }

  @Test
  void reader_tellsSizeAndFilter() throws IOException {
    try (TableCache cache = cache()) {
      FileMetadata file = table(5, 4 << 10, CompressionType.NONE, VALUE);
      CacheHandle<Table> table = cache.acquire(file);
      assertThat(table.value().fileSize()).isEqualTo(file.size());
      assertThat(table.value().hasFilter()).isFalse();
      assertThat(table.value().file().size()).isEqualTo(file.size());
      try (OffHeapBuffer stored = new OffHeapBuffer(shared.budget(), 0)) {
        int length = table.value().copyStoredBlock(0, stored);
        assertThat(length).isEqualTo(table.value().index().size(0) + 5);
      }
      table.close();
    }
  }

  @Test
  void multiGet_ofMoreTablesThanItPins_findAllAndReleaseThem() throws IOException {
    ValueRef out = new ValueRef();
    try (TableCache cache = cache();
        LookupKey wanted = new LookupKey(shared.budget());
        TableLookup lookup = cache.newLookup(wanted, out, counts)) {
      List<FileMetadata> files = new ArrayList<>();
      for (int number = 1; number <= 25; number++) {
        files.add(table(number, 4 << 10, CompressionType.NONE, number));
      }
      long before = shared.tableMemory().allocator().liveBuffers();
      MultiGetContext several = new MultiGetContext(cache);
      for (int pass = 0; pass < 3; pass++) {
        for (int i = 0; i < files.size(); i++) {
          wanted.set(key(500), InternalKey.MAX_SEQUENCE);
          int result = several.get(files.get(i), lookup);
          assertThat(result).isEqualTo(LookupResult.FOUND);
          byte[] value = new byte[out.length];
          out.buffer.get(out.offset, value);
          assertThat(value).isEqualTo(value(500, i + 1));
          assertThat(lookup.tag()).isEqualTo(InternalKey.pack(0, ValueKind.VALUE));
        }
        assertThat(shared.tableMemory().allocator().liveBuffers()).isGreaterThan(before);
        several.release();
        assertThat(shared.tableMemory().allocator().liveBuffers()).isEqualTo(before + files.size());
      }
      wanted.set(key(500), InternalKey.MAX_SEQUENCE);
      several.get(files.get(0), lookup);
      several.release();
      for (int number = 1; number <= 25; number++) {
        cache.evict(number);
      }
      assertThat(cache.openTables()).isZero();
    }
  }
}
