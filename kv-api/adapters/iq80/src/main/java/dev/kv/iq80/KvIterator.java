package dev.kv.iq80;

import java.util.Map;
import java.util.NoSuchElementException;
import org.iq80.leveldb.DBIterator;
import org.jspecify.annotations.Nullable;

/**
 * An iterator between entries, as the old interface has it, made of a cursor that stands on one.
 *
 * <p>The position is a gap: {@link #next} returns the entry after it, {@link #prev} the entry
 * before it, and each moves the gap over the entry that it returns. The cursor stands on one of the
 * two neighbours and {@link #cursorIsBefore} tells on which, so a loop in one direction moves it
 * once for each entry, with or without {@code hasNext} and {@code hasPrev}. If the cursor is after
 * the gap and on no entry, the gap is after the last entry. If there is no such neighbour, {@code
 * next} and {@code prev} throw and the gap stays where it is.
 *
 * <p>If the cursor cannot be moved, it has lost its place: then all moves throw that failure, until
 * a seek.
 *
 * <p>A new iterator stands before the first entry. Not thread-safe.
 */
final class KvIterator implements DBIterator {
  private final dev.kv.DBIterator cursor;

  /** True if the cursor stands on the entry before the gap, false if on the entry after it. */
  private boolean cursorIsBefore;

  /** The entry that the cursor stands on, if it was asked for. */
  private Map.@Nullable Entry<byte[], byte[]> entry;

  /** What the last move of the cursor threw, or null if it did not fail. */
  private @Nullable Throwable failure;

  KvIterator(dev.kv.DBIterator cursor) {
    this.cursor = cursor;
  }

  @Override
  public void seek(byte[] key) {
    Failures.requireArgument(key, "key");
    forget();
    try {
      cursor.seek(key);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  @Override
  public void seekToFirst() {
    forget();
    try {
      cursor.seekToFirst();
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  /** Moves before the last entry, so that {@link #next} returns it, as in leveldbjni. */
  @Override
  public void seekToLast() {
    forget();
    try {
      cursor.seekToLast();
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  @Override
  public boolean hasNext() {
    requireNoFailure();
    try {
      return moveToNext();
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  /** Returns the entry after the gap; {@link #next} returns the same object. */
  @Override
  public Map.Entry<byte[], byte[]> peekNext() {
    if (!hasNext()) {
      throw new NoSuchElementException("after the last entry");
    }
    return entry();
  }

  @Override
  public Map.Entry<byte[], byte[]> next() {
    Map.Entry<byte[], byte[]> next = peekNext();
    cursorIsBefore = true;
    return next;
  }

  @Override
  public boolean hasPrev() {
    requireNoFailure();
    try {
      return moveToPrevious();
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  /** Returns the entry before the gap; {@link #prev} returns the same object. */
  @Override
  public Map.Entry<byte[], byte[]> peekPrev() {
    if (!hasPrev()) {
      throw new NoSuchElementException("before the first entry");
    }
    return entry();
  }

  @Override
  public Map.Entry<byte[], byte[]> prev() {
    Map.Entry<byte[], byte[]> previous = peekPrev();
    cursorIsBefore = false;
    return previous;
  }

  @Override
  public void close() {
    forget();
    cursor.close();
  }

  /** Moves the cursor, and not the gap, to the entry after the gap; false if there is none. */
  private boolean moveToNext() {
    if (cursorIsBefore) {
      leave();
      cursor.next();
    } else if (!cursor.isPlaced()) {
      cursor.seekToFirst();
    }
    return cursor.isValid();
  }

  /** Moves the cursor, and not the gap, to the entry before the gap; false if there is none. */
  private boolean moveToPrevious() {
    if (cursorIsBefore) {
      return true;
    }
    boolean hadNext = moveToNext();
    leave();
    if (hadNext) {
      cursor.prev();
    } else {
      cursor.seekToLast();
    }
    cursorIsBefore = cursor.isValid();
    if (!cursorIsBefore) {
      cursor.seekToFirst();
    }
    return cursorIsBefore;
  }

  /** Forgets the place where the cursor stands and its failure, which a seek or a close ends. */
  private void forget() {
    leave();
    failure = null;
  }

  private void requireNoFailure() {
    if (failure != null) {
      throw unchecked(failure);
    }
  }

  /** Returns what a move of the cursor that failed throws, now and until the next seek. */
  private RuntimeException failed(Throwable e) {
    Throwable translated = e instanceof dev.kv.errors.DBException cause ? Failures.of(cause) : e;
    failure = translated;
    return unchecked(translated);
  }

  private static RuntimeException unchecked(Throwable e) {
    if (e instanceof RuntimeException exception) {
      return exception;
    }
    throw (Error) e;
  }

  /** Forgets what is known of the place where the cursor stands, which is about to move. */
  private void leave() {
    entry = null;
    cursorIsBefore = false;
  }

  private Map.Entry<byte[], byte[]> entry() {
    Map.Entry<byte[], byte[]> known = entry;
    if (known == null) {
      try {
        known = Map.entry(cursor.key(), cursor.value());
      } catch (dev.kv.errors.DBException e) {
        throw Failures.of(e);
      }
      entry = known;
    }
    return known;
  }
}
