package dev.kv.streams.scan;

import dev.kv.DBIterator;
import dev.kv.streams.database.StoreDatabase;
import dev.kv.streams.database.TimedKey;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A scan over a part of each of several segments, with one cursor. Between the parts, it seeks.
 * Stored keys are a byte, the number of the segment, and the entry.
 */
public final class SegmentScan extends CursorScan {
  private final byte[] lower;
  private final byte @Nullable [] upper;
  private final Predicate<byte[]> filter;

  /**
   * Creates a scan.
   *
   * @param cursor a cursor over the segments, which this scan takes ownership of
   * @param lower the first entry of a segment, inclusive
   * @param upper the last entry of a segment, inclusive, or null for no bound
   * @param filter returns true for entries that the scan shows
   */
  public SegmentScan(
      StoreDatabase database,
      DBIterator cursor,
      byte[] lower,
      byte @Nullable [] upper,
      Predicate<byte[]> filter,
      boolean forward) {
    super(database, cursor, forward);
    this.lower = lower;
    this.upper = upper;
    this.filter = filter;
  }

  @Override
  byte @Nullable [] settle() {
    while (cursor.isValid()) {
      byte[] stored = cursor.key();
      byte[] found = TimedKey.entry(stored);
      boolean before = Arrays.compareUnsigned(found, lower) < 0;
      boolean after = upper != null && Arrays.compareUnsigned(found, upper) > 0;
      if (before || after) {
        seek(ByteBuffer.wrap(stored).getLong(1), before);
      } else if (filter.test(found)) {
        return found;
      } else {
        step();
      }
    }
    return null;
  }

  /** Seeks from an entry outside of the bounds to the nearest one that may be inside. */
  private void seek(long segment, boolean before) {
    if (forward) {
      cursor.seek(before ? stored(segment, lower) : stored(segment + 1, new byte[0]));
    } else {
      cursor.seekForPrev(
          before || upper == null ? stored(segment, new byte[0]) : stored(segment, upper));
    }
  }

  private static byte[] stored(long segment, byte[] entry) {
    return TimedKey.stored(StoreDatabase.DATA, segment, entry);
  }

  @Override
  byte[] foundValue() {
    return cursor.value();
  }
}
