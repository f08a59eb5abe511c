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
 * <p>A new iterator stands before the first entry. Not thread-safe.
 */
final class KvIterator implements DBIterator {
  private final dev.kv.DBIterator cursor;

  /** True if the cursor stands on the entry before the gap, false if on the entry after it. */
  private boolean cursorIsBefore;

  /** The entry that the cursor stands on, if it was asked for. */
  private Map.@Nullable Entry<byte[], byte[]> entry;

  KvIterator(dev.kv.DBIterator cursor) {
    this.cursor = cursor;
  }

  @Override
  public void seek(byte[] key) {
    Failures.requireArgument(key, "key");
    leave();
    try {
      cursor.seek(key);
    } catch (dev.kv.errors.DBException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public void seekToFirst() {
    leave();
    try {
      cursor.seekToFirst();
    } catch (dev.kv.errors.DBException e) {
      throw Failures.of(e);
    }
  }

  /** Moves before the last entry, so that {@link #next} returns it, as in leveldbjni. */
  @Override
  public void seekToLast() {
    leave();
    try {
      cursor.seekToLast();
    } catch (dev.kv.errors.DBException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public boolean hasNext() {
    try {
      return moveToNext();
    } catch (dev.kv.errors.DBException e) {
      throw Failures.of(e);
    }
  }

  /** Returns the entry after the gap; {@link #next} returns the same object. */
  @Override
  public Map.Entry<byte[], byte[]> peekNext() {
    try {
      if (!moveToNext()) {
        throw new NoSuchElementException("after the last entry");
      }
      return entry();
    } catch (dev.kv.errors.DBException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public Map.Entry<byte[], byte[]> next() {
    Map.Entry<byte[], byte[]> next = peekNext();
    cursorIsBefore = true;
    return next;
  }

  @Override
  public boolean hasPrev() {
    try {
      return moveToPrevious();
    } catch (dev.kv.errors.DBException e) {
      throw Failures.of(e);
    }
  }

  /** Returns the entry before the gap; {@link #prev} returns the same object. */
  @Override
  public Map.Entry<byte[], byte[]> peekPrev() {
    try {
      if (!moveToPrevious()) {
        throw new NoSuchElementException("before the first entry");
      }
      return entry();
    } catch (dev.kv.errors.DBException e) {
      throw Failures.of(e);
    }
  }

  @Override
  public Map.Entry<byte[], byte[]> prev() {
    Map.Entry<byte[], byte[]> previous = peekPrev();
    cursorIsBefore = false;
    return previous;
  }

  @Override
  public void close() {
    leave();
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

  /** Forgets what is known of the place where the cursor stands, which is about to move. */
  private void leave() {
    entry = null;
    cursorIsBefore = false;
  }

  private Map.Entry<byte[], byte[]> entry() {
    Map.Entry<byte[], byte[]> known = entry;
    if (known == null) {
      known = Map.entry(cursor.key(), cursor.value());
      entry = known;
    }
    return known;
  }
}
