package dev.kv.core.iterator;

import java.nio.ByteBuffer;

/** A cursor over nothing. */
public final class EmptyIterator extends InternalIterator {

  @Override
  public void seekToFirst() {}

  @Override
  public void seekToLast() {}

  @Override
  public void seek(ByteBuffer key, int offset, int length) {}

  @Override
  public void next() {
    throw new AssertionError("next() on a cursor without an entry");
  }

  @Override
  public void prev() {
    throw new AssertionError("prev() on a cursor without an entry");
  }

  @Override
  public void close() {}
}
