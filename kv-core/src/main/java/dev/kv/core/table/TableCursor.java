package dev.kv.core.table;

import dev.kv.core.key.KeyComparator;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.table.block.BlockIterator;

/**
 * A cursor over the entries of a table, block by block, that can continue after a damaged block.
 */
public abstract class TableCursor extends BlockIterator {
  public TableCursor(KeyComparator comparator, OffHeapBuffer scratch) {
    super(comparator, scratch);
  }

  /**
   * After an exception for a damaged block, moves to the first entry of the following blocks, if
   * there is one. May throw again if the next block is damaged.
   */
  public abstract void seekAfterDamage();

  /** Returns the stored size of the last block that the cursor entered or failed to enter. */
  public abstract int triedBytes();
}
