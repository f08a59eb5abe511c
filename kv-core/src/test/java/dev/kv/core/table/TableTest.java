package dev.kv.core.table;

import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.table.block.AllocationMeter;
import dev.kv.core.table.block.BlockIterator;
import dev.kv.core.table.block.CursorModel;
import dev.kv.core.table.block.Entries;
import dev.kv.core.table.cache.LookupCounts;
import dev.kv.core.table.cache.ReadFlags;
import dev.kv.core.table.cache.TableLookup;
import dev.kv.core.table.filter.BloomFilter;
import dev.kv.core.table.format.BlockHandle;
import dev.kv.core.table.format.BlockWriter;
import dev.kv.core.table.format.BuildBuffers;
import dev.kv.core.table.format.Footer;
import dev.kv.core.table.format.StoredBlockCursor;
import dev.kv.core.table.format.TableBuilder;
import dev.kv.core.table.format.TableFormat;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class TableTest {
  private static final DBComparator REVERSE =
      new DBComparator() {
        @Override
        public String name() {
          return "test.Reverse";
        }

        @Override
        public int compare(Slice a, Slice b) {
          return b.compareTo(a);
        }
      };

  private static final InternalKeyComparator BYTEWISE =
      new InternalKeyComparator(DBComparator.bytewise());

  static Stream<Arguments> variants() {
    return Stream.of(1, 2, 16, 128)
        .flatMap(
            interval ->
                Stream.of(CompressionType.values())
                    .flatMap(
                        type ->
                            Stream.of(
                                Arguments.of(interval, type, DBComparator.bytewise()),
                                Arguments.of(interval, type, REVERSE))));
  }

  @ParameterizedTest
  @MethodSource("variants")
  void moves_randomEntries_followTheModel(int interval, CompressionType type, DBComparator users) {
    for (int seed = 0; seed < 3; seed++) {
      Random random = new Random(seed);
      KeyComparator order = new InternalKeyComparator(users);
      Entries entries = Entries.internal(order, random, seed == 0 ? 0 : random.nextInt(200));
      follow(order, entries, TableBench.format(1024, interval, type), random, true, seed);
      order = new UserKeyComparator(users);
      entries = Entries.user(order, random, random.nextInt(200));
      follow(order, entries, TableBench.format(256, interval, type), random, false, seed);
    }
  }

  private static void follow(
      KeyComparator order,
      Entries entries,
      TableFormat format,
      Random random,
      boolean internal,
      int seed) {
    byte[] bytes = TableBench.build(format, order, entries);
    try (TableBench bench = new TableBench(random.nextBoolean() ? 0 : 8 << 10)) {
      MemoryFile.Reading file = MemoryFile.reading(bytes);
      Table table = bench.open(file, order);
      ReadFlags flags = ReadFlags.of(random.nextBoolean(), random.nextBoolean());
      try (TableIterator cursor = TableBench.cursor(table, flags)) {
        new CursorModel(cursor, entries, random, internal).run(300);
      }
      if (internal) {
        checkGets(table, entries, (InternalKeyComparator) order, random, bench);
      }
      table.free();
      assertThat(file.closes).isEqualTo(1);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("seed " + seed, e);
    }
  }

  private static void checkGets(
      Table table, Entries entries, InternalKeyComparator order, Random random, TableBench bench) {
    ValueRef out = new ValueRef();
    try (LookupKey key = new LookupKey(bench.budget);
        TableLookup lookup = new TableLookup(order, bench.budget, key, out, new LookupCounts())) {
      for (int i = 0; i < 200; i++) {
        byte[] user = Entries.randomKey(random);
        if (random.nextBoolean() && !entries.list().isEmpty()) {
          user =
              InternalKey.userKey(entries.list().get(random.nextInt(entries.list().size())).key());
        }
        long sequence = random.nextBoolean() ? InternalKey.MAX_SEQUENCE : random.nextInt(70000);
        key.set(user, sequence);
        int result = table.get(lookup);
        int at = entries.ceiling(InternalKey.encode(user, sequence, ValueKind.VALUE));
        byte[] found = at < entries.list().size() ? entries.list().get(at).key() : null;
        if (found == null || !Arrays.equals(InternalKey.userKey(found), user)) {
          assertThat(result).isEqualTo(LookupResult.NOT_FOUND);
        } else if (InternalKey.kindCode(InternalKey.tag(found)) == 0) {
          assertThat(result).isEqualTo(LookupResult.DELETED);
        } else {
          assertThat(result).isEqualTo(LookupResult.FOUND);
          assertThat(out.copy()).isEqualTo(entries.list().get(at).value());
          out.release();
        }
      }
    }
  }

  /** Keys and value sizes of LevelDB's own test of this. */
  @Test
  void approximateOffsetOf_plainTable_isNearTheBytesBefore() throws Exception {
    int[] sizes = {5, 6, 10_000, 200_000, 300_000, 6, 100_000};
    TableFormat format = TableBench.format(1024, 16, CompressionType.NONE);
    KeyComparator order = new UserKeyComparator(DBComparator.bytewise());
    MemoryFile written = new MemoryFile();
    try (BuildBuffers buffers = new BuildBuffers(format, new OffHeapBudget(0))) {
      TableBuilder builder = new TableBuilder(format, order, written, buffers);
      for (int i = 0; i < sizes.length; i++) {
        ByteBuffer value = ByteBuffer.allocateDirect(sizes[i]).order(ByteOrder.LITTLE_ENDIAN);
        builder.add(direct(("k0" + (i + 1)).getBytes()), 0, 3, value, 0, sizes[i]);
      }
      builder.finish();
      assertThat(builder.entryCount()).isEqualTo(7);
    }
    try (TableBench bench = new TableBench(1 << 20)) {
      Table table = bench.open(MemoryFile.reading(written.bytes()), order);
      assertBetween(table, "abc", 0, 0);
      assertBetween(table, "k01", 0, 0);
      assertBetween(table, "k01a", 0, 0);
      assertBetween(table, "k02", 0, 0);
      assertBetween(table, "k03", 0, 0);
      assertBetween(table, "k04", 10_000, 11_000);
      assertBetween(table, "k04a", 210_000, 211_000);
      assertBetween(table, "k05", 210_000, 211_000);
      assertBetween(table, "k06", 510_000, 511_000);
      assertBetween(table, "k07", 510_000, 511_000);
      assertBetween(table, "xyz", 610_000, 612_000);
      table.free();
    }
  }

  @Test
  void approximateOffsetOf_compressibleValues_isThatOfTheStoredBytes() throws Exception {
    TableFormat format = TableBench.format(1024, 16, CompressionType.SNAPPY);
    KeyComparator order = new UserKeyComparator(DBComparator.bytewise());
    MemoryFile written = new MemoryFile();
    try (BuildBuffers buffers = new BuildBuffers(format, new OffHeapBudget(0))) {
      TableBuilder builder = new TableBuilder(format, order, written, buffers);
      ByteBuffer zeros = ByteBuffer.allocateDirect(100_000).order(ByteOrder.LITTLE_ENDIAN);
      for (int i = 1; i <= 4; i++) {
        ByteBuffer key = direct(("k0" + i).getBytes());
        builder.add(key, 0, 3, zeros, 0, i % 2 == 0 ? 100_000 : 5);
      }
      builder.finish();
    }
    try (TableBench bench = new TableBench(1 << 20)) {
      Table table = bench.open(MemoryFile.reading(written.bytes()), order);
      assertBetween(table, "k02", 0, 0);
      assertBetween(table, "k03", 4_000, 6_000);
      assertBetween(table, "k04", 4_000, 6_000);
      assertBetween(table, "xyz", 8_000, 12_000);
      table.free();
    }
  }

  @Test
  void moves_emptyAndHighestKeys_findThem() throws Exception {
    TableFormat format = TableBench.format(1024, 16, CompressionType.SNAPPY);
    KeyComparator order = new UserKeyComparator(DBComparator.bytewise());
    byte[][] keys = {{}, {0}, {(byte) 0xff}, {(byte) 0xff, (byte) 0xff}};
    MemoryFile written = new MemoryFile();
    try (BuildBuffers buffers = new BuildBuffers(format, new OffHeapBudget(0))) {
      TableBuilder builder = new TableBuilder(format, order, written, buffers);
      for (byte[] key : keys) {
        builder.add(direct(key), 0, key.length, direct(key), 0, key.length);
        builder.flush();
      }
      builder.finish();
    }
    try (TableBench bench = new TableBench(1 << 20)) {
      Table table = bench.open(MemoryFile.reading(written.bytes()), order);
      try (TableIterator cursor = TableBench.cursor(table, ReadFlags.DEFAULT)) {
        for (byte[] key : keys) {
          cursor.seek(direct(key), 0, key.length);
          assertThat(CursorModel.key(cursor)).isEqualTo(key);
          assertThat(CursorModel.value(cursor)).isEqualTo(key);
        }
        cursor.next();
        assertThat(cursor.isValid()).isFalse();
      }
      table.free();
    }
  }

  private static void assertBetween(Table table, String key, long low, long high) {
    long offset = table.approximateOffsetOf(direct(key.getBytes()), 0, key.length());
    assertThat(offset).as(key).isBetween(low, high);
  }

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void add_cursorOverATable_writesTheSameTable(CompressionType from) {
    Random random = new Random(7);
    Entries entries = Entries.internal(BYTEWISE, random, 200);
    entries
        .list()
        .replaceAll(
            entry -> {
              byte[] value = new byte[random.nextInt(random.nextBoolean() ? 20 : 9000)];
              Arrays.fill(value, value.length / 2, value.length, (byte) random.nextInt());
              return new Entries.Entry(entry.key(), value);
            });
    byte[] source = TableBench.build(TableBench.format(1024, 16, from), BYTEWISE, entries);
    for (CompressionType to : CompressionType.values()) {
      TableFormat format = TableBench.format(1024, 16, to, new BloomFilter(10), 11);
      assertThat(copy(source, format))
          .as("from %s to %s", from, to)
          .isEqualTo(TableBench.build(format, BYTEWISE, entries));
    }
  }

  private static byte[] copy(byte[] table, TableFormat format) {
    MemoryFile copy = new MemoryFile();
    try (TableBench bench = new TableBench(0);
        BuildBuffers buffers = new BuildBuffers(format, new OffHeapBudget(0))) {
      Table reader = bench.open(MemoryFile.reading(table), BYTEWISE);
      TableBuilder builder = new TableBuilder(format, BYTEWISE, copy, buffers);
      try (TableIterator cursor = TableBench.cursor(reader, ReadFlags.DEFAULT)) {
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
          builder.add(cursor);
        }
      }
      builder.finish();
      reader.free();
      return copy.bytes();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void add_blockOfOneLargeValue_takesItOverAsItIsStored() throws Exception {
    TableFormat format = TableBench.format(1024, 16, CompressionType.SNAPPY);
    MemoryFile written = new MemoryFile();
    try (BuildBuffers buffers = new BuildBuffers(format, new OffHeapBudget(0))) {
      TableBuilder builder = new TableBuilder(format, BYTEWISE, written, buffers);
      builder.add(new Stored("a", 1024, CompressionType.SNAPPY));
      assertThat(builder.fileSize()).isEqualTo(Stored.LENGTH);
      builder.add(new Stored("b", 1023, CompressionType.SNAPPY)); // not large
      builder.add(new Stored("c", 1024, CompressionType.SNAPPY)); // not first in its block
      long compressed = builder.fileSize();
      assertThat(compressed).isGreaterThan(Stored.LENGTH);
      builder.add(new Stored("d", 1024, CompressionType.ZSTD)); // compressed otherwise
      assertThat(builder.fileSize() - compressed).isNotEqualTo(Stored.LENGTH);
      builder.finish();
      assertThat(builder.entryCount()).isEqualTo(4);
    }
    assertThat(written.bytes()).startsWith(Stored.bytes(CompressionType.SNAPPY));
  }

  /** Mojang's fork of LevelDB marks zlib as C++ LevelDB marks zstd. */
  @Test
  void add_blockOfZlibForATableOfZstd_compressesItAgain() throws Exception {
    TableFormat format = TableBench.format(1024, 16, CompressionType.ZSTD);
    MemoryFile written = new MemoryFile();
    try (BuildBuffers buffers = new BuildBuffers(format, new OffHeapBudget(0))) {
      TableBuilder builder = new TableBuilder(format, BYTEWISE, written, buffers);
      builder.add(new Stored("a", 1024, CompressionType.ZSTD)); // begins as no frame of zstd does
      assertThat(builder.fileSize()).isNotEqualTo(Stored.LENGTH);
      builder.finish();
    }
    assertThat(ByteBuffer.wrap(written.bytes()).getInt()).as("the magic").isEqualTo(0x28b52ffd);
  }

  /** An entry of zeros that claims to have been stored as some other bytes. */
  private static final class Stored extends BlockIterator implements StoredBlockCursor {
    static final int LENGTH = 40;

    private final CompressionType type;

    Stored(String key, int valueLength, CompressionType type) {
      super(BYTEWISE, new OffHeapBuffer(new OffHeapBudget(0), SCRATCH_BYTES));
      this.type = type;
      keyBuffer = direct(InternalKey.encode(key.getBytes(), 1, ValueKind.VALUE));
      keyLength = keyBuffer.capacity();
      valueBuffer = direct(new byte[valueLength]);
      this.valueLength = valueLength;
      valid = true;
    }

    static byte[] bytes(CompressionType type) {
      byte[] bytes = new byte[LENGTH];
      Arrays.fill(bytes, (byte) 7);
      bytes[LENGTH - BlockWriter.TRAILER] = type.code();
      return bytes;
    }

    @Override
    public int copyStoredBlock(OffHeapBuffer target) {
      target.ensureCapacity(LENGTH).put(0, bytes(type));
      return LENGTH;
    }
  }

  @Test
  void add_keyNotAfterTheLast_throws() throws Exception {
    TableFormat format = TableBench.format(1024, 16, CompressionType.NONE);
    KeyComparator order = new UserKeyComparator(DBComparator.bytewise());
    try (BuildBuffers buffers = new BuildBuffers(format, new OffHeapBudget(0))) {
      TableBuilder builder = new TableBuilder(format, order, new MemoryFile(), buffers);
      ByteBuffer key = direct("b".getBytes());
      builder.add(key, 0, 1, key, 0, 1);
      assertThatThrownBy(() -> builder.add(key, 0, 1, key, 0, 1))
          .isInstanceOf(IllegalArgumentException.class);
      builder.flush();
      ByteBuffer smaller = direct("a".getBytes());
      assertThatThrownBy(() -> builder.add(smaller, 0, 1, key, 0, 1))
          .isInstanceOf(IllegalArgumentException.class);
      builder.abandon();
      assertThatThrownBy(builder::finish).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(builder::abandon).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void open_damagedFooterOrSize_throwsWithTheFilesName() {
    Entries entries = Entries.internal(BYTEWISE, new Random(1), 50);
    TableFormat format = TableBench.format(1024, 16, CompressionType.SNAPPY);
    byte[] bytes = TableBench.build(format, BYTEWISE, entries);
    try (TableBench bench = new TableBench(1 << 20)) {
      for (int length = 0; length < bytes.length; length += 1 + length / 200) {
        MemoryFile.Reading cut = MemoryFile.reading(Arrays.copyOf(bytes, length));
        assertThatThrownBy(() -> bench.open(cut, BYTEWISE))
            .isInstanceOfSatisfying(
                CorruptionException.class, e -> assertThat(e.file()).isEqualTo("000005.ldb"));
        assertThat(cut.closes).isEqualTo(1);
      }
      byte[] foreign = bytes.clone();
      ByteBuffer.wrap(foreign)
          .order(ByteOrder.LITTLE_ENDIAN)
          .putLong(foreign.length - 8, 0x88e241b785f4cff7L);
      assertThatThrownBy(() -> bench.open(MemoryFile.reading(foreign), BYTEWISE))
          .isInstanceOf(UnsupportedFormatException.class)
          .hasMessageContaining("RocksDB");
    }
  }

  /** Lengths that no memory has room for, and those that overflow. */
  @Test
  void open_hugeIndexInTheFooter_isCorruptionBeforeAnythingIsAllocated() {
    Entries entries = Entries.internal(BYTEWISE, new Random(1), 50);
    byte[] bytes =
        TableBench.build(TableBench.format(1024, 16, CompressionType.NONE), BYTEWISE, entries);
    long[] sizes = {bytes.length, 0x7fff_ff00L, 1L << 32, Long.MAX_VALUE - 4, Long.MAX_VALUE, -1};
    try (TableBench bench = new TableBench(1 << 20)) {
      for (long size : sizes) {
        ByteBuffer huge = ByteBuffer.wrap(bytes.clone()).order(ByteOrder.LITTLE_ENDIAN);
        int footer = bytes.length - Footer.SIZE;
        new Footer(new BlockHandle(0, 10), new BlockHandle(1, size)).encode(huge, footer);
        MemoryFile.Reading file = MemoryFile.reading(huge.array());
        assertThatThrownBy(() -> bench.open(file, BYTEWISE))
            .as("index of %d bytes", size)
            .isInstanceOf(CorruptionException.class)
            .hasMessageContaining("is not in the file");
        assertThat(bench.budget.used()).isLessThan(1 << 20);
      }
    }
  }

  /** One damaged byte anywhere: the right answer, or the named exception. */
  @Test
  void reads_oneDamagedByte_answerRightOrThrow() {
    Random random = new Random(17);
    Entries entries = Entries.internal(BYTEWISE, random, 60);
    TableFormat format = TableBench.format(512, 4, CompressionType.SNAPPY);
    byte[] bytes = TableBench.build(format, BYTEWISE, entries);
    int thrown = 0;
    for (int at = 0; at < bytes.length; at++) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= (byte) (1 + random.nextInt(255));
      try (TableBench bench = new TableBench(1 << 20)) {
        thrown += readAll(bench, damaged, entries, at);
      }
    }
    assertThat(thrown).isGreaterThan(bytes.length * 9 / 10);
  }

  private static int readAll(TableBench bench, byte[] bytes, Entries entries, int damage) {
    MemoryFile.Reading file = MemoryFile.reading(bytes);
    Table table;
    try {
      table = bench.open(file, BYTEWISE);
    } catch (CorruptionException e) {
      assertThat(file.closes).isEqualTo(1);
      return 1;
    }
    int thrown = 0;
    try (TableIterator cursor = TableBench.cursor(table, ReadFlags.DEFAULT)) {
      int seen = 0;
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        Entries.Entry entry = entries.list().get(seen++);
        assertThat(CursorModel.key(cursor)).as("byte %d", damage).isEqualTo(entry.key());
        assertThat(CursorModel.value(cursor)).as("byte %d", damage).isEqualTo(entry.value());
      }
      assertThat(seen).as("byte %d", damage).isEqualTo(entries.list().size());
    } catch (CorruptionException e) {
      assertThat(e.file()).isEqualTo("000005.ldb");
      assertThat(e.offset()).isNotNegative();
      thrown = 1;
    } finally {
      table.free();
    }
    return thrown;
  }

  @Test
  void next_afterCorruptBlock_isInvalidAndCanSeekElsewhere() {
    Entries entries = Entries.internal(BYTEWISE, new Random(3), 200);
    TableFormat format = TableBench.format(512, 16, CompressionType.NONE);
    byte[] bytes = TableBench.build(format, BYTEWISE, entries);
    try (TableBench bench = new TableBench(1 << 20)) {
      Table table = bench.open(MemoryFile.reading(bytes), BYTEWISE);
      int second = (int) table.index().offset(1);
      table.free();
      bytes[second + 3] ^= 0x40;
      Table damaged = bench.open(MemoryFile.reading(bytes), BYTEWISE);
      try (TableIterator cursor = TableBench.cursor(damaged, ReadFlags.DEFAULT)) {
        cursor.seekToFirst();
        assertThatThrownBy(
                () -> {
                  while (cursor.isValid()) {
                    cursor.next();
                  }
                })
            .isInstanceOfSatisfying(
                CorruptionException.class, e -> assertThat(e.offset()).isEqualTo(second));
        assertThat(cursor.isValid()).isFalse();
        cursor.seekToFirst();
        assertThat(CursorModel.key(cursor)).isEqualTo(entries.list().get(0).key());
        cursor.seekToLast();
        assertThat(CursorModel.key(cursor)).isEqualTo(entries.list().get(199).key());
      }
      damaged.free();
    }
  }

  /** Without checksums, damage inside a compressed block is met by the decompression only. */
  @Test
  void reads_ofABlockThatDoesNotUncompress_keepNoMemory() throws Exception {
    TableFormat format = TableBench.format(512, 16, CompressionType.SNAPPY);
    KeyComparator order = new UserKeyComparator(DBComparator.bytewise());
    MemoryFile written = new MemoryFile();
    try (BuildBuffers buffers = new BuildBuffers(format, new OffHeapBudget(0))) {
      TableBuilder builder = new TableBuilder(format, order, written, buffers);
      ByteBuffer zeros = ByteBuffer.allocateDirect(100).order(ByteOrder.LITTLE_ENDIAN);
      for (int i = 100; i < 120; i++) {
        builder.add(direct(("k" + i).getBytes()), 0, 4, zeros, 0, 100);
      }
      builder.finish();
    }
    byte[] bytes = written.bytes();
    try (TableBench bench = new TableBench(1 << 20)) {
      Table table = bench.open(MemoryFile.reading(bytes), order);
      int second = (int) table.index().offset(1);
      table.free();
      for (boolean fill : new boolean[] {true, false}) {
        int refused = 0;
        for (int at = second + 2; at < second + 40; at++) {
          byte[] damaged = bytes.clone();
          damaged[at] = (byte) 0xff;
          Table reader = bench.open(MemoryFile.reading(damaged), order);
          try (TableIterator cursor = TableBench.cursor(reader, ReadFlags.of(false, fill))) {
            cursor.seekToFirst();
            while (cursor.isValid()) {
              cursor.next();
            }
          } catch (CorruptionException e) {
            refused += e.getMessage().contains("does not uncompress") ? 1 : 0;
          }
          reader.free();
        }
        assertThat(refused).isPositive();
        bench.cache.prune();
        assertThat(bench.allocator.liveBuffers()).isZero();
      }
    }
  }

  @Test
  void reads_budgetSpent_bypassTheCache() {
    Entries entries = Entries.internal(BYTEWISE, new Random(5), 300);
    TableFormat format = TableBench.format(1024, 16, CompressionType.SNAPPY);
    byte[] bytes = TableBench.build(format, BYTEWISE, entries);
    try (TableBench bench = new TableBench(1 << 20, 1 << 10)) {
      Table table = bench.open(MemoryFile.reading(bytes), BYTEWISE);
      try (TableIterator cursor = TableBench.cursor(table, ReadFlags.DEFAULT)) {
        new CursorModel(cursor, entries, new Random(6), true).run(100);
      }
      assertThat(bench.budget.used()).isLessThanOrEqualTo(1 << 10);
      table.free();
    }
  }

  @Test
  void cursor_manyBlocks_pinsOneAtATime() {
    Entries entries = Entries.internal(BYTEWISE, new Random(8), 300);
    TableFormat format = TableBench.format(512, 16, CompressionType.NONE);
    byte[] bytes = TableBench.build(format, BYTEWISE, entries);
    try (TableBench bench = new TableBench(0)) {
      Table table = bench.open(MemoryFile.reading(bytes), BYTEWISE);
      long resident = bench.allocator.liveBuffers();
      try (TableIterator cursor = TableBench.cursor(table, ReadFlags.DEFAULT)) {
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
          assertThat(bench.allocator.liveBuffers()).isEqualTo(resident + 1);
        }
      }
      assertThat(bench.allocator.liveBuffers()).isEqualTo(resident);
      table.free();
    }
  }

  @Test
  void readsInCachedTable_afterWarmUp_allocateNothing() {
    Entries entries = Entries.internal(BYTEWISE, new Random(9), 400);
    TableFormat format = TableBench.format(1024, 16, CompressionType.SNAPPY);
    byte[] bytes = TableBench.build(format, BYTEWISE, entries);
    ValueRef out = new ValueRef();
    try (TableBench bench = new TableBench(8 << 20);
        LookupKey key = new LookupKey(bench.budget);
        TableLookup lookup =
            new TableLookup(BYTEWISE, bench.budget, key, out, new LookupCounts())) {
      Table table = bench.open(MemoryFile.reading(bytes), BYTEWISE);
      byte[] user = InternalKey.userKey(entries.list().get(200).key());
      TableIterator cursor = TableBench.cursor(table, ReadFlags.DEFAULT);
      assertThat(
              AllocationMeter.bytes(
                  () -> {
                    for (cursor.seekToFirst(); cursor.isValid(); ) {
                      cursor.next();
                    }
                    for (cursor.seekToLast(); cursor.isValid(); ) {
                      cursor.prev();
                    }
                  }))
          .isZero();
      assertThat(
              AllocationMeter.bytes(
                  () -> {
                    for (int i = 0; i < 100; i++) {
                      key.set(user, InternalKey.MAX_SEQUENCE);
                      table.get(lookup);
                      out.release();
                    }
                  }))
          .isZero();
      cursor.close();
      table.free();
    }
  }

  @Test
  void cursor_afterClose_throwsOrHasNoEntry() {
    Entries entries = Entries.internal(BYTEWISE, new Random(11), 300);
    byte[] bytes =
        TableBench.build(TableBench.format(256, 16, CompressionType.NONE), BYTEWISE, entries);
    try (TableBench bench = new TableBench(1 << 20)) {
      Table table = bench.open(MemoryFile.reading(bytes), BYTEWISE);
      TableIterator cursor = TableBench.cursor(table, ReadFlags.DEFAULT);
      cursor.seekToFirst();
      cursor.close();
      cursor.close();
      assertThat(cursor.isValid()).isFalse();
      assertThatThrownBy(cursor::seekToFirst).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(cursor::seekToLast).isInstanceOf(IllegalStateException.class);
      table.free();
    }
  }
}
