package dev.kv.streams;

import dev.kv.DBIterator;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBException;
import dev.kv.streams.database.StoreDatabase;
import java.util.NoSuchElementException;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.state.VersionedRecord;
import org.apache.kafka.streams.state.VersionedRecordIterator;
import org.jspecify.annotations.Nullable;

/**
 * The versions of one key that are valid at some time of a range, without its tombstones. A version
 * is valid from its own time on until that of the next version, exclusive. It is open until it is
 * closed, or its store is.
 *
 * <p>A move that fails does not withhold the version before it, unless its end is the time of the
 * version that was moved to. After that, all calls throw the failure.
 */
final class VersionIterator implements VersionedRecordIterator<byte[]> {
  private final StoreDatabase database;
  private final DBIterator cursor;
  private final long from;
  private final long to;
  private final boolean ascending;

  /** The time of the version after the one at the cursor, or null if that is the latest. */
  private @Nullable Long newer;

  /** True if the version at the cursor was taken. */
  private boolean taken;

  private @Nullable VersionedRecord<byte[]> next;
  private @Nullable RuntimeException failure;
  private boolean closed;

  /**
   * Creates an iterator at the first version. If that fails, the cursor is closed.
   *
   * @param cursor a cursor over all versions of the key, which this iterator takes ownership of
   * @param from the first time, inclusive. If it is after {@code to}, the latest version alone is
   *     shown, if its time is not after {@code to}.
   * @param to the last time, inclusive
   */
  VersionIterator(
      StoreDatabase database,
      DBIterator cursor,
      byte[] key,
      long from,
      long to,
      boolean ascending) {
    this.database = database;
    this.cursor = cursor;
    this.from = from;
    this.to = to;
    this.ascending = ascending;
    try {
      if (ascending) {
        cursor.seek(VersionFormat.version(key, from));
        if (!cursor.isValid()) {
          cursor.seekToLast();
        }
      } else {
        newer = seekWithNewer(cursor, VersionFormat.version(key, to));
      }
      settle();
    } catch (RuntimeException e) {
      cursor.close();
      throw e instanceof DBException cause ? database.failed("read", cause) : e;
    }
  }

  /**
   * Moves a cursor to the first version at or before a time.
   *
   * @param cursor a cursor over all versions of the key
   * @return the time of the version after it, or null if there is none
   */
  static @Nullable Long seekWithNewer(DBIterator cursor, byte[] version) {
    cursor.seek(version);
    if (!cursor.isValid()) {
      return null;
    }
    cursor.prev();
    Long newer = cursor.isValid() ? VersionFormat.time(cursor) : null;
    cursor.seek(version);
    return newer;
  }

  /** Takes the next version that is no tombstone. */
  private void settle() {
    next = null;
    while (next == null && moveToVersion()) {
      long time = VersionFormat.time(cursor);
      byte[] value = VersionFormat.value(cursor);
      Long until;
      if (ascending) {
        if (time > to) {
          return;
        }
        cursor.prev();
        until = cursor.isValid() ? VersionFormat.time(cursor) : null;
      } else {
        until = newer;
        if (until != null && until <= from) {
          return;
        }
        newer = time;
        taken = true;
      }
      if (value != null) {
        next = record(value, time, until);
      }
    }
  }

  /** Moves the cursor from a version that was taken. Returns true if it is at a version. */
  private boolean moveToVersion() {
    if (taken) {
      cursor.next();
      taken = false;
    }
    return cursor.isValid();
  }

  static VersionedRecord<byte[]> record(byte[] value, long time, @Nullable Long until) {
    return until == null
        ? new VersionedRecord<>(value, time)
        : new VersionedRecord<>(value, time, until);
  }

  @Override
  public boolean hasNext() {
    if (closed) {
      throw new InvalidStateStoreException("the iterator is closed");
    }
    if (failure != null) {
      throw failure;
    }
    return next != null;
  }

  @Override
  public VersionedRecord<byte[]> next() {
    VersionedRecord<byte[]> found = hasNext() ? next : null;
    if (found == null) {
      throw new NoSuchElementException();
    }
    try {
      settle();
    } catch (DBClosedException e) {
      throw database.failed("read", e);
    } catch (DBException e) {
      failure = database.failed("read", e);
    } catch (RuntimeException e) {
      failure = e;
    }
    return found;
  }

  @Override
  public void close() {
    closed = true;
    cursor.close();
  }
}
