package dev.kv.core.table.cache;

import dev.kv.core.cache.LruCache;
import dev.kv.core.key.LookupResult;
import dev.kv.core.table.block.BlockIterator;
import dev.kv.core.table.block.EntryIndexLookup;
import dev.kv.errors.OffHeapExhaustedException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The places in memory of those blocks of a table that are in the cache and have an entry index. A
 * get searches them without a pin, so it writes to no line that other readers of the block use, and
 * without the objects of the cache: those are spread over the heap, and most of them are in no
 * cache of the processor. Thread-safe.
 *
 * <ol>
 *   <li>A place has a stamp, which no other place of the table ever has. A thread that has the
 *       block pinned adds the place; the thread that frees the block removes the stamp, and issues
 *       a release fence before it frees the memory. So while the stamp is there, the memory is the
 *       block's.
 *   <li>A reader reads the stamp, the place and the memory, and then, after an acquire fence, the
 *       stamp again. If it has read something that was written to the memory later, it does not
 *       find the stamp again.
 * </ol>
 */
public final class IndexedBlocks {
  /** A larger value is read with a pin, because it is copied twice without one. */
  private static final int MOST_UNPINNED = 4 << 10;

  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
  private static final VarHandle INTS = MethodHandles.arrayElementVarHandle(int[].class);
  private static final VarHandle BUFFERS = MethodHandles.arrayElementVarHandle(ByteBuffer[].class);

  private final LruCache<CachedBlock> cache;
  private final long id;

  // Arrays of length 0 once the table is closed.
  /** The stamp of each block, or 0; and after it the offset and the length in the buffer. */
  private long[] places;

  private @Nullable ByteBuffer[] buffers;

  /** The time of the cache at the last read; the last to write wins. */
  private int[] touched;

  /** Guarded by this. */
  private long lastStamp;

  /**
   * Creates an object without a place, for the {@code count} blocks that the cache has by an id.
   */
  IndexedBlocks(LruCache<CachedBlock> cache, long id, int count) {
    this.cache = cache;
    this.id = id;
    places = new long[2 * count];
    buffers = new ByteBuffer[count];
    touched = new int[count];
  }

  /** Returns the number of blocks that have room. */
  int count() {
    return buffers.length;
  }

  /**
   * Adds the place of a block that the caller has pinned.
   *
   * @param at the number of the block
   * @param memory contains the block at {@code begin}, and its entry index after it
   * @return false if another copy of the block has a place
   */
  synchronized boolean add(int at, long offset, ByteBuffer memory, int begin, int length) {
    if (places[2 * at] != 0) {
      return false;
    }
    INTS.setOpaque(touched, at, cache.time(id, offset));
    places[2 * at + 1] = (long) begin << Integer.SIZE | length;
    BUFFERS.setRelease(buffers, at, memory);
    LONGS.setRelease(places, 2 * at, ++lastStamp);
    return true;
  }

  /** Removes a place. Later stores to the memory are not seen by a reader that finds the stamp. */
  synchronized void remove(int at) {
    if (at < buffers.length) {
      LONGS.setOpaque(places, 2 * at, 0L);
      VarHandle.releaseFence();
      BUFFERS.setRelease(buffers, at, null);
    }
  }

  /**
   * Frees the arrays, because blocks stay in the cache after their table is closed, and refer to
   * this. No thread adds or searches any more.
   */
  synchronized void close() {
    places = new long[0];
    buffers = new ByteBuffer[0];
    touched = new int[0];
  }

  /** Returns the stamp of a block; 0 if it has no place. */
  long stamp(int at) {
    return (long) LONGS.getAcquire(places, 2 * at);
  }

  /** Returns the memory that contains a block; null if it has no place. */
  @Nullable ByteBuffer memory(int at) {
    return (ByteBuffer) BUFFERS.getAcquire(buffers, at);
  }

  /**
   * Returns true if the stamp is still there, so that everything that this thread has read of the
   * memory was the block's.
   */
  boolean isStill(int at, long stamp) {
    VarHandle.acquireFence();
    return (long) LONGS.getOpaque(places, 2 * at) == stamp;
  }

  /** Returns the time of the last read of a block, or {@code none} if the table is closed. */
  int touched(int at, int none) {
    int[] times = touched;
    return at < times.length ? (int) INTS.getOpaque(times, at) : none;
  }

  /**
   * Searches block {@code at}, which is at {@code offset} of the file, for the key of a lookup, if
   * it has a place, and copies the value.
   *
   * @return one of {@link LookupResult}'s constants, or {@link EntryIndexLookup#UNDECIDED} if a
   *     search with a pin has to tell
   */
  public int search(int at, long offset, TableLookup lookup) {
    long stamp = stamp(at);
    ByteBuffer memory = stamp == 0 ? null : memory(at);
    if (memory == null) {
      return EntryIndexLookup.UNDECIDED;
    }
    long place = places[2 * at + 1];
    int begin = (int) (place >>> Integer.SIZE);
    int length = (int) place;
    int result;
    try {
      int indexAt = begin + BlockIterator.entryIndexAfter(length);
      result = lookup.search(memory, begin, length, memory, indexAt);
      if (result == LookupResult.FOUND) {
        if (lookup.indexedLength() > MOST_UNPINNED) {
          return EntryIndexLookup.UNDECIDED;
        }
        lookup.copyValue(memory, lookup.indexedOffset(), lookup.indexedLength());
      }
    } catch (IndexOutOfBoundsException | OffHeapExhaustedException e) {
      // The memory has changed, or there is none for the copy
      return EntryIndexLookup.UNDECIDED;
    }
    if (result == EntryIndexLookup.UNDECIDED || !isStill(at, stamp)) {
      return EntryIndexLookup.UNDECIDED;
    }
    int time = cache.time(id, offset);
    if (touched[at] != time) {
      INTS.setOpaque(touched, at, time);
    }
    cache.countHit();
    return result;
  }
}
