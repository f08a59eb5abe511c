package dev.kv.core.table;

import dev.kv.core.block.BlockIterator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.memory.OffHeapBuffer;

/** A cursor over the entries of a table, block by block, that can go on after a damaged one. */
public abstract class TableCursor extends BlockIterator {
  public TableCursor(KeyComparator comparator, OffHeapBuffer scratch) {
    super(comparator, scratch);
  }

  /**
   * After an exception for a block: moves to the first entry of the blocks after that one, if there
   * is one. May itself throw one, for the next block.
   */
  public abstract void seekBehindDamage();

  /** Returns the stored size of the block that was entered last, or could not be. */
  public abstract int triedBytes();
}
