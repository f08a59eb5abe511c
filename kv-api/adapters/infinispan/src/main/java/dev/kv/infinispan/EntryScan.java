package dev.kv.infinispan;

import dev.kv.DBIterator;
import dev.kv.bytes.Slice;
import java.util.Arrays;
import java.util.PrimitiveIterator;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the entries of some segments that have not expired. It moves over the segments in
 * their order, and over the keys of each in theirs. Not thread-safe; close it.
 */
final class EntryScan implements AutoCloseable {
  private final DBIterator cursor;
  private final long now;

  /** The segments after the current one, ascending. */
  private final PrimitiveIterator.OfInt segments;

  private int segment;
  private byte[] entryKey = {};

  /** Creates a scan before its first entry, which owns the cursor. */
  EntryScan(DBIterator cursor, PrimitiveIterator.OfInt segments, long now) {
    this.cursor = cursor;
    this.segments = segments;
    this.now = now;
  }

  /** Moves to the next entry. Returns false at the end. */
  boolean next() {
    if (!cursor.isPlaced()) {
      if (!segments.hasNext()) {
        return false;
      }
      segment = segments.nextInt();
      cursor.seek(EntryFormat.segmentStart(segment));
    } else if (cursor.isValid()) {
      cursor.next();
    }
    while (cursor.isValid()) {
      entryKey = cursor.key(); // a close of the database may end a slice at any moment
      Slice key = Slice.of(entryKey);
      if (EntryFormat.segment(key) != segment || EntryFormat.isIndex(key)) {
        if (!nextSegment(EntryFormat.segment(key))) {
          return false;
        }
      } else if (isExpired()) {
        cursor.next();
      } else {
        return true;
      }
    }
    return false;
  }

  private boolean isExpired() {
    try {
      return EntryFormat.isExpired(EntryFormat.expiry(cursor.valueSlice()), now);
    } catch (RuntimeException e) {
      cursor.isValid(); // throws if the database was closed meanwhile, which is the reason then
      throw e;
    }
  }

  /**
   * Moves to the next segment that may have keys.
   *
   * @param reached the segment of the cursor's key: those between are empty
   */
  private boolean nextSegment(int reached) {
    while (segments.hasNext()) {
      segment = segments.nextInt();
      if (segment > reached) {
        cursor.seek(EntryFormat.segmentStart(segment));
        return true;
      }
      if (segment == reached) {
        return true;
      }
    }
    return false;
  }

  /** Returns a copy of Infinispan's key of the entry. */
  byte[] key() {
    return Arrays.copyOfRange(entryKey, EntryFormat.KEY_OFFSET, entryKey.length);
  }

  /** Returns a copy of the value of the entry, as {@link EntryFormat} has it. */
  byte[] value() {
    return cursor.value();
  }

  @Override
  public void close() {
    cursor.close();
  }

  /** What a publisher does with an entry of a scan. */
  interface Reader<T> {
    /** Returns what is published for the current entry, or null if nothing is. */
    @Nullable T read(EntryScan scan);
  }
}
