package dev.kv.core.table.cache;

import dev.kv.core.cache.CacheHandle;
import dev.kv.core.cache.LruCache;
import dev.kv.core.memory.BlockAllocator;
import dev.kv.core.memory.DirectMemory;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.ObjectPool;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.memory.Stripes;
import dev.kv.core.table.block.BlockIterator;
import dev.kv.core.table.format.BlockHandle;
import dev.kv.errors.OffHeapExhaustedException;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Provides the blocks of a database's tables: from the cache, or else from the file. Thread-safe.
 */
public final class BlockProvider implements AutoCloseable {
  /** A reader whose buffer has grown larger than this is not reused. */
  private static final int MAX_KEPT = 1 << 20;

  /** A larger block is not copied into the scratch buffer of a cursor. */
  private static final int MOST_IN_SCRATCH = 64 << 10;

  /** The least number of blocks that may have room in {@link IndexedBlocks}. */
  private static final int LEAST_PLACES = 16 << 10;

  /**
   * A larger cache allows room for one block for each so many bytes, which takes 24 on the heap.
   */
  private static final int BYTES_PER_PLACE = 512;

  /** One or two for each table that an iterator opens in a typical database. */
  private static final int SCRATCHES_PER_STRIPE = 16;

  private final LruCache<CachedBlock> blocks;
  private final BlockAllocator allocator;
  private final OffHeapBudget budget;
  private final boolean nativeSnappy;
  private final AtomicLong places = new AtomicLong();
  private final ObjectPool<BlockReader> readers =
      new ObjectPool<>(1, this::newReader, BlockReader::close);
  private final ObjectPool<OffHeapBuffer> scratches =
      new ObjectPool<>(SCRATCHES_PER_STRIPE, this::newScratch, OffHeapBuffer::close);

  /**
   * Creates a provider.
   *
   * @param blocks the block cache, which may be shared
   * @param allocator provides the memory of all blocks
   * @param budget counts the buffers of the provider
   * @param nativeSnappy true to use the native codec of Snappy, if it can be loaded
   */
  public BlockProvider(
      LruCache<CachedBlock> blocks,
      BlockAllocator allocator,
      OffHeapBudget budget,
      boolean nativeSnappy) {
    this.blocks = blocks;
    this.allocator = allocator;
    this.budget = budget;
    this.nativeSnappy = nativeSnappy;
  }

  /** Returns the block cache. */
  public LruCache<CachedBlock> cache() {
    return blocks;
  }

  /** Returns a data block, pinned for the caller. */
  public PinnedBlock acquire(TableFile file, long id, long offset, int size, ReadFlags flags) {
    CacheHandle<CachedBlock> hit = blocks.acquire(id, offset);
    return hit != null ? CachedBlock.of(hit) : load(file, id, offset, size, flags);
  }

  /**
   * Returns room for the places of {@code count} blocks that the cache has by an id; null if other
   * tables have too much already. The caller gives it back to {@link #release(IndexedBlocks)}.
   */
  public @Nullable IndexedBlocks newIndexedBlocks(long id, int count) {
    long most = Math.max(LEAST_PLACES, blocks.capacity() / BYTES_PER_PLACE);
    if (places.get() + count > most) {
      return null;
    }
    IndexedBlocks made = new IndexedBlocks(blocks, id, count);
    places.addAndGet(count);
    return made;
  }

  /** Takes back room that is not used any more. */
  public void release(IndexedBlocks unused) {
    places.addAndGet(-unused.count());
    unused.close();
  }

  private PinnedBlock load(TableFile file, long id, long offset, int size, ReadFlags flags) {
    file.requireInside(offset, size, offset);
    try {
      return loadCounted(file, id, offset, size, flags);
    } catch (OffHeapExhaustedException e) {
      blocks.prune();
      allocator.trim(); // the JVM may have less than the budget, and what the cache freed is kept
      return loadUncounted(file, offset, size, flags);
    }
  }

  private PinnedBlock loadCounted(TableFile file, long id, long offset, int size, ReadFlags flags) {
    BlockReader reader = readers.acquire();
    try {
      if (flags.fillsCache() && blocks.capacity() > 0) {
        reader.prepare(file, size);
        return CachedBlock.of(blocks.acquire(id, offset, reader));
      }
      return reader.read(file, offset, size, flags.verify(), MemoryKind.BLOCK);
    } finally {
      release(reader);
    }
  }

  /** By a reader that has not read the block before: the memory that needed is free again. */
  private PinnedBlock loadUncounted(TableFile file, long offset, int size, ReadFlags flags) {
    BlockReader reader = readers.acquire();
    try {
      return reader.readUncounted(file, offset, size, flags.verify());
    } finally {
      release(reader);
    }
  }

  /**
   * Puts a copy of a block that was just written into the cache.
   *
   * @param most the most bytes that it may take of the cache
   * @return what it takes; 0 if it is not in the cache
   */
  public long add(long id, long offset, ByteBuffer bytes, int length, long most) {
    int needed = length + BlockIterator.roomForEntryIndex(length);
    if (needed > most) {
      return 0;
    }
    ByteBuf memory;
    try {
      memory = allocator.allocateCached(needed);
    } catch (OffHeapExhaustedException e) {
      return 0;
    }
    CachedBlock block = CachedBlock.in(memory, length);
    long charge = block.charge();
    if (charge > most) {
      block.free();
      return 0;
    }
    block.bytes().put(0, bytes, 0, length);
    blocks.acquire(id, offset, (table, at) -> block).close();
    return charge;
  }

  /**
   * Verifies a block, copies it as it is stored, including its trailer, and returns the number of
   * bytes.
   */
  public int copyStored(TableFile file, long offset, int size, OffHeapBuffer target) {
    file.requireInside(offset, size, offset);
    BlockReader reader = readers.acquire();
    try {
      return reader.copyStored(file, offset, size, target);
    } finally {
      release(reader);
    }
  }

  /** Returns an index or filter block, verified, which the caller owns. */
  public UncachedBlock resident(TableFile file, BlockHandle handle, long from) {
    int size = file.checkedSize(handle, from);
    BlockReader reader = readers.acquire();
    try {
      return reader.read(file, handle.offset(), size, true, MemoryKind.INDEX_AND_FILTER);
    } catch (OffHeapExhaustedException e) {
      blocks.prune();
      return reader.readUncounted(file, handle.offset(), size, true);
    } finally {
      release(reader);
    }
  }

  /** Returns memory for an index of {@code length} bytes. */
  public UncachedBlock residentMemory(int length) {
    try {
      return UncachedBlock.in(allocator.allocate(MemoryKind.INDEX_AND_FILTER, length), length);
    } catch (OffHeapExhaustedException e) {
      blocks.prune();
      return UncachedBlock.uncounted(DirectMemory.allocate(length), length);
    }
  }

  /** Returns memory for optional data, or null if the budget has none left. */
  public @Nullable UncachedBlock spareMemory(int length) {
    try {
      ByteBuf memory = allocator.tryAllocate(MemoryKind.INDEX_AND_FILTER, length);
      return memory == null ? null : UncachedBlock.in(memory, length);
    } catch (OffHeapExhaustedException e) {
      return null; // the JVM has none
    }
  }

  /** Returns a copy of {@code length} bytes, in {@link #transientMemory}. */
  public UncachedBlock copyOf(ByteBuffer source, int offset, int length) {
    UncachedBlock copy = transientMemory(length, 0);
    try { // the source may be a mapping, which can fault
      copy.bytes().put(0, source, offset, length);
      return copy;
    } catch (Throwable e) {
      copy.close();
      throw e;
    }
  }

  /**
   * Returns memory for a block of {@code length} bytes, and {@code more} bytes after it, which the
   * caller owns. If the budget is used up, the memory is not counted, so that reads continue.
   */
  public UncachedBlock transientMemory(int length, int more) {
    try {
      return UncachedBlock.in(allocator.allocateTransient(length + more), length);
    } catch (OffHeapExhaustedException e) {
      blocks.prune();
      return UncachedBlock.uncounted(DirectMemory.allocate(length + more), length);
    }
  }

  /**
   * Returns the memory that {@link #transientMemory(int, int)} does, or {@code kept} if the block
   * is not large. That takes no lock and counts nothing, once {@code kept} is large enough. The
   * block is valid until the next use of {@code kept}, whose owner releases it.
   */
  public UncachedBlock transientMemory(int length, int more, OffHeapBuffer kept) {
    if (length + more <= MOST_IN_SCRATCH) {
      try {
        return UncachedBlock.uncounted(kept.ensureCapacity(length + more), length);
      } catch (OffHeapExhaustedException e) {
        blocks.prune();
      }
    }
    return transientMemory(length, more);
  }

  /**
   * Returns a buffer in which a cursor assembles keys, or into which it copies blocks; the caller
   * releases it.
   */
  public OffHeapBuffer acquireScratch() {
    return scratches.acquire();
  }

  /**
   * Takes ownership of a buffer from {@link #acquireScratch}, which the caller must not use again.
   */
  public void releaseScratch(OffHeapBuffer scratch) {
    scratch.poison();
    if (scratch.buffer().capacity() > MAX_KEPT) {
      scratches.discard(scratch, Stripes.current());
    } else {
      scratches.release(scratch);
    }
  }

  private BlockReader newReader() {
    return new BlockReader(allocator, new OffHeapBuffer(budget, 0), nativeSnappy);
  }

  private OffHeapBuffer newScratch() {
    return OffHeapBuffer.forReads(budget, BlockIterator.SCRATCH_BYTES);
  }

  private void release(BlockReader reader) {
    if (reader.capacity() > MAX_KEPT) {
      readers.discard(reader, Stripes.current());
    } else {
      readers.release(reader);
    }
  }

  @Override
  public void close() {
    readers.close();
    scratches.close();
  }
}
