package dev.kv.core.iterator;

import java.nio.ByteBuffer;

/** Cursors in a row: each shows entries that all come after those of the one before. */
public interface IteratorSource {

  /** Returns how many there are. */
  int count();

  /**
   * Returns the first that may hold an entry at or after a key, or {@link #count()} if none does.
   */
  int find(ByteBuffer key, int offset, int length);

  /** Returns a new cursor over the entries of number {@code index}; the caller closes it. */
  InternalIterator open(int index);
}
