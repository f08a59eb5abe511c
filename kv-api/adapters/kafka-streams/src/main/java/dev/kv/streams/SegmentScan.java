package dev.kv.streams;

import dev.kv.DBClosedException;
import dev.kv.DBException;
import dev.kv.DBIterator;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A scan over a part of each of several segments, with one cursor. Between the parts, it seeks.
 * Stored keys are a byte, the number of the segment, and the entry.
 */
final class SegmentScan implements EntryScan {
  private static final int HEADER = 1 + Long.BYTES;

  private final StoreDatabase database;
  private final DBIterator cursor;
  private final byte[] lower;
  private final byte @Nullable [] upper;
  private final Predicate<byte[]> filter;
  private final boolean forward;
  private byte @Nullable [] entry;

  /**
   * Creates a scan at its first entry.
   *
   * @param cursor a cursor over the segments, which this scan takes ownership of
   * @param lower the first entry of a segment, inclusive
   * @param upper the last entry of a segment, inclusive, or null for no bound
   * @param filter returns true for entries that the scan shows
   */
  SegmentScan(
      StoreDatabase database,
      DBIterator cursor,
      byte[] lower,
      byte @Nullable [] upper,
      Predicate<byte[]> filter,
      boolean forward) {
    this.database = database;
    this.cursor = cursor;
    this.lower = lower;
    this.upper = upper;
    this.filter = filter;
    this.forward = forward;
    try {
      if (forward) {
        cursor.seekToFirst();
      } else {
        cursor.seekToLast();
      }
      settle();
    } catch (DBException e) {
      cursor.close();
      throw database.failed("read", e);
    }
  }

  /** Moves from the position of the cursor to the next entry that the scan shows. */
  private void settle() {
    entry = null;
    while (cursor.isValid()) {
      byte[] stored = cursor.key();
      byte[] found = Arrays.copyOfRange(stored, HEADER, stored.length);
      boolean before = Arrays.compareUnsigned(found, lower) < 0;
      boolean after = upper != null && Arrays.compareUnsigned(found, upper) > 0;
      if (before || after) {
        seek(ByteBuffer.wrap(stored).getLong(1), before);
      } else if (filter.test(found)) {
        entry = found;
        return;
      } else {
        step();
      }
    }
  }

  /** Seeks from an entry outside of the bounds to the nearest one that may be inside. */
  private void seek(long segment, boolean before) {
    if (forward) {
      cursor.seek(before ? at(segment, lower) : at(segment + 1, new byte[0]));
    } else {
      cursor.seekForPrev(before || upper == null ? at(segment, new byte[0]) : at(segment, upper));
    }
  }

  private static byte[] at(long segment, byte[] entry) {
    return SegmentedStore.stored(StoreDatabase.DATA, segment, entry);
  }

  private void step() {
    if (forward) {
      cursor.next();
    } else {
      cursor.prev();
    }
  }

  @Override
  public boolean hasEntry() {
    if (entry != null && !database.isOpen()) {
      entry = null;
    }
    return entry != null;
  }

  @Override
  public byte[] key() {
    byte[] found = entry;
    if (found == null) {
      throw new IllegalStateException("the scan is at no entry");
    }
    return found;
  }

  @Override
  public byte[] value() {
    try {
      return cursor.value();
    } catch (DBException e) {
      throw database.failed("read", e);
    }
  }

  @Override
  public void advance() {
    try {
      step();
      settle();
    } catch (DBClosedException e) {
      entry = null;
    } catch (DBException e) {
      throw database.failed("read", e);
    }
  }

  @Override
  public void close() {
    entry = null;
    cursor.close();
  }
}
