package dev.kv.core.table;

import dev.kv.core.block.BlockIterator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;

/**
 * What a point read needs besides its target: reusable, so that a read allocates nothing. Not
 * thread-safe; closed by the thread that uses it, or when none does.
 */
public final class PointRead implements AutoCloseable {
  private final OffHeapBuffer scratch;
  private final BlockIterator block;
  private long tag;

  /** Creates what reads of tables in {@code comparator}'s order need. */
  public PointRead(KeyComparator comparator, OffHeapBudget budget) {
    scratch = new OffHeapBuffer(budget, BlockIterator.SCRATCH_BYTES);
    block = new BlockIterator(comparator, scratch);
  }

  BlockIterator block() {
    return block;
  }

  /** Returns the tag of the entry that the last read found, a deletion's too. */
  public long tag() {
    return tag;
  }

  void setTag(long found) {
    tag = found;
  }

  @Override
  public void close() {
    scratch.close();
  }
}
