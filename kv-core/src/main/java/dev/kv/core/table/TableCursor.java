package dev.kv.core.table;

import dev.kv.core.iterator.ForwardIterator;

/** Reads the entries of a table block by block, and can continue after a damaged block. */
public interface TableCursor {
  /** Returns the cursor itself, which shows the entries; the caller closes it. */
  ForwardIterator entries();

  /**
   * After an exception for a damaged block, moves to the first entry of the following blocks, if
   * there is one. May throw again if the next block is damaged.
   */
  void seekAfterDamage();

  /** Returns the stored size of the last block that the cursor entered or failed to enter. */
  int triedBytes();
}
