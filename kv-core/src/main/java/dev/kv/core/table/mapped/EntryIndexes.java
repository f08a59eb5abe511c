package dev.kv.core.table.mapped;

import dev.kv.core.table.block.BlockIterator;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The entry indexes of the blocks of one open table that is searched in its mapping. They lie in
 * memory of their own, because the mapping has no room after a block. Thread-safe: a lookup that
 * still uses memory that is dropped reads what was in it.
 *
 * <p>The memory has a place of fixed size for each block. A table asks for it at the first second
 * visit of one of its blocks. If there is none, it asks again after as many visits as it has
 * blocks.
 */
final class EntryIndexes implements EntryIndexMemory.Owner {
  private static final byte UNTRIED = 0;
  private static final byte WRITTEN = 1;
  private static final byte REFUSED = 2;
  private static final VarHandle STATE = MethodHandles.arrayElementVarHandle(byte[].class);

  /**
   * The memory.
   *
   * @param states for each block, whether its place has an index; set after the index is written
   */
  private record Places(ByteBuffer memory, byte[] states) {}

  private final EntryIndexMemory source;
  private final int count;
  private final AtomicReference<@Nullable Places> places = new AtomicReference<>();

  /** How many visits passed since the last request; not exact if several threads count. */
  private int visits;

  private boolean used;

  /** Creates an object without memory, for a table of {@code count} blocks. */
  EntryIndexes(EntryIndexMemory source, int count) {
    this.source = source;
    this.count = count;
    visits = count;
  }

  /** Returns true if {@link #write} is to be tried for a block. Called once for each visit. */
  boolean wants(int block) {
    Places present = places.getAcquire();
    return present == null ? ++visits > count : present.states[block] == UNTRIED;
  }

  /** Returns the memory with the index of a block at {@link #place}, or null if it has none. */
  @Nullable ByteBuffer memory(int block) {
    Places present = places.getAcquire();
    if (present != null && (byte) STATE.getAcquire(present.states, block) == WRITTEN) {
      if (!used) {
        used = true;
      }
      return present.memory;
    }
    return null;
  }

  /** Returns the offset of the index of a block. */
  static int place(int block) {
    return block * BlockIterator.ENTRY_INDEX_BYTES;
  }

  /** Writes the index of a block; the cursor is on a copy of it, and has no entry afterwards. */
  void write(BlockIterator cursor, int block) {
    Places present = places.get();
    if (present == null) {
      present = allocate();
      if (present == null) {
        return;
      }
    }
    int begin = place(block);
    boolean written =
        cursor.writeEntryIndex(present.memory, begin, begin + BlockIterator.ENTRY_INDEX_BYTES);
    STATE.setRelease(present.states, block, written ? WRITTEN : REFUSED);
  }

  private @Nullable Places allocate() {
    visits = 0;
    long length = (long) count * BlockIterator.ENTRY_INDEX_BYTES;
    ByteBuffer memory = length > Integer.MAX_VALUE ? null : source.tryAllocate(this, (int) length);
    if (memory == null) {
      return null;
    }
    Places fresh = new Places(memory, new byte[count]);
    Places other = places.compareAndExchange(null, fresh);
    if (other != null) {
      source.release(memory);
      return other;
    }
    return fresh;
  }

  @Override
  public boolean wasUsed() {
    boolean was = used;
    used = false;
    return was;
  }

  @Override
  public void drop() {
    Places present = places.getAndSet(null);
    if (present != null) {
      source.release(present.memory);
    }
  }

  /** Frees the memory. Requires that the table is not used any more. */
  void free() {
    source.forget(this);
  }
}
