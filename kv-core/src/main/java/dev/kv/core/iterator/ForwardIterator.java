package dev.kv.core.iterator;

import java.nio.ByteBuffer;

/** An internal cursor that can only be read once from the first entry to the last one. */
public abstract class ForwardIterator extends InternalIterator {
  /** For implementations. */
  protected ForwardIterator() {}

  /** Not supported: throws {@link UnsupportedOperationException}. */
  @Override
  public final void seekToLast() {
    throw forwardOnly();
  }

  /** Not supported: throws {@link UnsupportedOperationException}. */
  @Override
  public final void seek(ByteBuffer key, int offset, int length) {
    throw forwardOnly();
  }

  /** Not supported: throws {@link UnsupportedOperationException}. */
  @Override
  public final void prev() {
    throw forwardOnly();
  }

  private UnsupportedOperationException forwardOnly() {
    return new UnsupportedOperationException(getClass().getSimpleName() + " only moves forward");
  }
}
