package dev.kv.core.iterator;

import java.nio.ByteBuffer;

/**
 * A cursor over the entries of several consecutive cursors, such as the tables of a level. One of
 * them is open at a time.
 */
public final class ConcatenatingIterator extends InternalIterator {
  private static final int NONE = -1;

  private final IteratorSource source;

  /** The open cursor; an empty one before the first move and after the close. */
  private InternalIterator current = new EmptyIterator();

  private int index = NONE;
  private boolean closed;

  /** Creates a cursor over all entries of {@code source}. */
  public ConcatenatingIterator(IteratorSource source) {
    this.source = source;
  }

  @Override
  public void seekToFirst() {
    valid = false;
    if (source.count() > 0) {
      open(0);
      current.seekToFirst();
      forward();
    }
  }

  @Override
  public void seekToLast() {
    valid = false;
    if (source.count() > 0) {
      open(source.count() - 1);
      current.seekToLast();
      backward();
    }
  }

  @Override
  public void seek(ByteBuffer key, int offset, int length) {
    valid = false;
    int target = source.find(key, offset, length);
    if (target < source.count()) {
      open(target);
      current.seek(key, offset, length);
      forward();
    }
  }

  @Override
  public void next() {
    valid = false;
    current.next();
    if (!show(current)) {
      forward();
    }
  }

  @Override
  public void prev() {
    valid = false;
    current.prev();
    if (!show(current)) {
      backward();
    }
  }

  /** Moves to the following cursors until one has an entry, and shows it. */
  private void forward() {
    while (!current.isValid() && index + 1 < source.count()) {
      open(index + 1);
      current.seekToFirst();
    }
    show(current);
  }

  /** Moves to the previous cursors until one has an entry, and shows it. */
  private void backward() {
    while (!current.isValid() && index > 0) {
      open(index - 1);
      current.seekToLast();
    }
    show(current);
  }

  private void open(int target) {
    if (target == index) {
      return;
    }
    if (closed) {
      throw new IllegalStateException("the cursor is closed");
    }
    index = NONE;
    InternalIterator opened = source.open(target);
    InternalIterator left = current;
    current = opened;
    index = target;
    left.close();
  }

  @Override
  public ForwardIterator source() {
    return current.source();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      valid = false;
      index = NONE;
      InternalIterator left = current;
      current = new EmptyIterator();
      left.close();
    }
  }
}
