package dev.kv.core.table.format;

import dev.kv.core.iterator.ForwardIterator;
import java.nio.ByteBuffer;

/** Is told which entries a table gets, and of its data blocks as they are written. */
public interface BlockObserver {
  /** The next entry of the open data block is the current one of {@code entry}. */
  void entry(ForwardIterator entry);

  /**
   * The open data block was written, and another one begins.
   *
   * @param offset its offset in the file
   * @param block the block before its compression, at index 0; valid during the call
   * @param length its length in bytes
   */
  void written(long offset, ByteBuffer block, int length);

  /** The same for a block that was copied as it is stored: the one of the last entry. */
  void copied(long offset);
}
