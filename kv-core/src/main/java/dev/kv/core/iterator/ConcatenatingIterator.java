package dev.kv.core.iterator;

import java.nio.ByteBuffer;
import java.util.function.IntFunction;

/**
 * A cursor over the entries of several consecutive cursors, such as the tables of a level: all
 * entries of one cursor are before those of the next. One of them is open at a time.
 */
public final class ConcatenatingIterator extends InternalIterator {
  private static final int NONE = -1;

  private final int count;
  private final IntFunction<InternalIterator> open;
  private final Finder find;

  /** The open cursor; an empty one before the first move and after the close. */
  private InternalIterator current = new EmptyIterator();

  private int index = NONE;
  private boolean closed;

  /** Finds the cursor at which a seek begins. */
  @FunctionalInterface
  public interface Finder {
    /**
     * Returns the index of the first cursor that may have an entry at or after a key, or the number
     * of cursors if there is none.
     */
    int find(ByteBuffer key, int offset, int length);
  }

  /**
   * Creates a cursor over all entries of {@code count} cursors.
   *
   * @param open returns a new cursor by its index; this cursor closes it
   */
  public ConcatenatingIterator(int count, IntFunction<InternalIterator> open, Finder find) {
    this.count = count;
    this.open = open;
    this.find = find;
  }

  @Override
  public void seekToFirst() {
    valid = false;
    if (count > 0) {
      open(0);
      current.seekToFirst();
      forward();
    }
  }

  @Override
  public void seekToLast() {
    valid = false;
    if (count > 0) {
      open(count - 1);
      current.seekToLast();
      backward();
    }
  }

  @Override
  public void seek(ByteBuffer key, int offset, int length) {
    valid = false;
    int target = find.find(key, offset, length);
    if (target < count) {
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
    while (!current.isValid() && index + 1 < count) {
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
    InternalIterator opened = open.apply(target);
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
