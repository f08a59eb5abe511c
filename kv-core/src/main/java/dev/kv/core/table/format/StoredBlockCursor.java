package dev.kv.core.table.format;

import dev.kv.core.memory.OffHeapBuffer;

/** A cursor that can copy the block of its entry in the form in which the block is stored. */
public interface StoredBlockCursor {
  /**
   * Copies the block that the current entry was read from to the beginning of {@code target}, type
   * and checksum included, if the block holds this entry and nothing else. Returns how many bytes
   * that are, or 0 if the block holds more.
   */
  int copyStoredBlock(OffHeapBuffer target);
}
