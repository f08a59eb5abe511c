package dev.kv.core.iterator;

import java.nio.ByteBuffer;

/** A sequence of cursors in order: all entries of one cursor are before those of the next. */
public interface IteratorSource {

  /** Returns the number of cursors. */
  int count();

  /**
   * Returns the index of the first cursor that may have an entry at or after a key, or {@link
   * #count()} if there is none.
   */
  int find(ByteBuffer key, int offset, int length);

  /** Returns a new cursor over the entries of number {@code index}; the caller closes it. */
  InternalIterator open(int index);
}
