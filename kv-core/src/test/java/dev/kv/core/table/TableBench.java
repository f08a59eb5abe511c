package dev.kv.core.table;

import static dev.kv.core.Bytes.direct;

import dev.kv.FilterPolicy;
import dev.kv.core.cache.LruCache;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.memory.BlockAllocator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.table.block.Entries;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.CachedBlock;
import dev.kv.core.table.cache.ReadFlags;
import dev.kv.core.table.cache.TableFile;
import dev.kv.core.table.format.BuildBuffers;
import dev.kv.core.table.format.TableBuilder;
import dev.kv.core.table.format.TableFormat;
import dev.kv.options.CompressionType;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The memory that a test's tables live in, and ways to build and open them. Closing it looks for
 * leaks.
 */
public final class TableBench implements AutoCloseable {
  final OffHeapBudget budget;
  final BlockAllocator allocator;
  final LruCache<CachedBlock> cache;
  final BlockProvider blocks;

  TableBench(long cacheCapacity) {
    this(cacheCapacity, 0);
  }

  TableBench(long cacheCapacity, long offHeapLimit) {
    budget = new OffHeapBudget(offHeapLimit);
    allocator = new BlockAllocator(budget);
    cache = CachedBlock.newCache(allocator, cacheCapacity);
    blocks = new BlockProvider(cache, allocator, budget, true);
  }

  public static TableFormat format(
      int blockSize, int restartInterval, CompressionType compression) {
    return format(blockSize, restartInterval, compression, null, TableFormat.WHOLE_TABLE);
  }

  /** Returns a format without properties, so that tables are those of C++ LevelDB. */
  public static TableFormat format(
      int blockSize,
      int restartInterval,
      CompressionType compression,
      @Nullable FilterPolicy policy,
      int baseLg) {
    return new TableFormat(blockSize, restartInterval, compression, 1, true, policy, baseLg, false);
  }

  /** Returns the bytes of a table of {@code entries}. */
  static byte[] build(TableFormat format, KeyComparator comparator, Entries entries) {
    try (BuildBuffers buffers = new BuildBuffers(format, new OffHeapBudget(0))) {
      MemoryFile file = new MemoryFile();
      TableBuilder builder = new TableBuilder(format, comparator, file, buffers);
      for (Entries.Entry entry : entries.list()) {
        byte[] key = entry.key();
        byte[] value = entry.value();
        builder.add(direct(key), 0, key.length, direct(value), 0, value.length);
      }
      builder.finish();
      if (file.length() != builder.fileSize()) {
        throw new AssertionError("fileSize() " + builder.fileSize() + " of " + file.length());
      }
      return file.bytes();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  Table open(MemoryFile.Reading file, KeyComparator comparator) {
    return open(file, comparator, null);
  }

  Table open(MemoryFile.Reading file, KeyComparator comparator, @Nullable FilterPolicy policy) {
    long id = cache.newId();
    return Table.open(TableFile.of(file, "000005.ldb"), id, comparator, policy, blocks);
  }

  /** Returns a cursor that pins nothing but its block. */
  static TableIterator cursor(Table table, ReadFlags flags) {
    return table.iterator(flags, () -> {});
  }

  @Override
  public void close() {
    blocks.close();
    cache.close();
    allocator.close();
    if (allocator.liveBuffers() != 0) {
      throw new AssertionError(allocator.liveBuffers() + " buffers leaked");
    }
  }
}
