package dev.kv.streams;

import dev.kv.DBClosedException;
import dev.kv.DBException;
import dev.kv.DBIterator;
import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A scan over the entries of a range of time, in the order of time, with the index. */
final class IndexScan implements EntryScan {
  private final SegmentedStore store;
  private final StoreDatabase database;
  private final DBIterator cursor;
  private final TimedKey form;
  private final Predicate<byte[]> filter;
  private final boolean forward;
  private byte @Nullable [] entry;
  private byte @Nullable [] value;

  /**
   * Creates a scan at its first entry.
   *
   * @param cursor a cursor over a range of the index, which this scan takes ownership of
   * @param filter returns true for entries that the scan shows
   */
  IndexScan(
      SegmentedStore store,
      StoreDatabase database,
      DBIterator cursor,
      TimedKey form,
      Predicate<byte[]> filter,
      boolean forward) {
    this.store = store;
    this.database = database;
    this.cursor = cursor;
    this.form = form;
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

  /** Moves on to an entry that was not deleted since the scan began. */
  private void settle() {
    entry = null;
    while (cursor.isValid()) {
      byte[] stored = cursor.key();
      byte[] found = form.keyFirst(Arrays.copyOfRange(stored, 1, stored.length));
      byte[] present = filter.test(found) ? store.getEntry(found) : null;
      if (present != null) {
        entry = found;
        value = present;
        return;
      }
      step();
    }
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
    return present(entry);
  }

  @Override
  public byte[] value() {
    return present(value);
  }

  private static byte[] present(byte @Nullable [] bytes) {
    if (bytes == null) {
      throw new IllegalStateException("the scan is at no entry");
    }
    return bytes;
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
