package dev.kv.core.table;

import dev.kv.core.block.BlockIterator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import java.nio.ByteBuffer;

/**
 * The reusable objects of a point read in tables, so that a read allocates nothing. Not
 * thread-safe. Closed by the thread that uses it, or when no thread uses it.
 */
public final class PointReadContext implements AutoCloseable {
  /** A larger value is not copied into the memory of a context. */
  static final int MOST_VALUE_BYTES = 64 << 10;

  private final OffHeapBuffer scratch;
  private final OffHeapBuffer value;
  private final BlockIterator block;
  private final LookupCounts counts;
  private long tag;

  /**
   * Creates the objects for reads of tables in the order of {@code comparator}.
   *
   * @param counts counts what the reads do
   */
  public PointReadContext(KeyComparator comparator, OffHeapBudget budget, LookupCounts counts) {
    this.counts = counts;
    scratch = new OffHeapBuffer(budget, BlockIterator.SCRATCH_BYTES);
    value = new OffHeapBuffer(budget, 0);
    block = new BlockIterator(comparator, scratch);
  }

  BlockIterator block() {
    return block;
  }

  /**
   * Returns memory for a value of at most {@link #MOST_VALUE_BYTES}, and {@link
   * InPlaceBlocks#PROBE_BYTES} before it.
   */
  ByteBuffer valueMemory(int length) {
    return value.ensureCapacity(InPlaceBlocks.PROBE_BYTES + length);
  }

  /** Returns true if {@link #valueMemory} allocates nothing for a value of {@code length}. */
  boolean hasValueMemory(int length) {
    return length <= value.buffer().capacity() - InPlaceBlocks.PROBE_BYTES;
  }

  LookupCounts counts() {
    return counts;
  }

  /** Returns the tag of the entry that the last read found, which may be a tombstone. */
  public long tag() {
    return tag;
  }

  void setTag(long found) {
    tag = found;
  }

  @Override
  public void close() {
    scratch.close();
    value.close();
  }
}
