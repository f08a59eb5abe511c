package dev.kv.streams.scan;

import dev.kv.DBIterator;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBException;
import dev.kv.streams.database.StoreDatabase;
import dev.kv.streams.database.TimedKey;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.jspecify.annotations.Nullable;

/**
 * A scan over entries of a window or session store, in one direction, which shows some of the
 * entries of a cursor. Not thread-safe.
 */
public abstract class CursorScan {
  final DBIterator cursor;
  final boolean forward;
  private final StoreDatabase database;
  private byte @Nullable [] entry;

  /**
   * Creates a scan, which is at no entry before {@link #begin}.
   *
   * @param cursor a cursor, which this scan takes ownership of
   */
  CursorScan(StoreDatabase database, DBIterator cursor, boolean forward) {
    this.database = database;
    this.cursor = cursor;
    this.forward = forward;
  }

  /** Moves to the first entry. If that fails, the scan is closed. */
  public final CursorScan begin() {
    try {
      if (forward) {
        cursor.seekToFirst();
      } else {
        cursor.seekToLast();
      }
      entry = settle();
    } catch (RuntimeException e) {
      cursor.close();
      throw e instanceof DBException cause ? database.failed("read", cause) : e;
    }
    return this;
  }

  /**
   * Moves the cursor from its position to the next entry that the scan shows.
   *
   * @return the entry, in the form of {@link TimedKey}, or null if there is none
   */
  abstract byte @Nullable [] settle();

  /** Returns the value of the entry that {@link #settle} found. */
  abstract byte[] foundValue();

  /** Moves the cursor by one entry. */
  final void step() {
    if (forward) {
      cursor.next();
    } else {
      cursor.prev();
    }
  }

  /** Returns true if the scan is at an entry. It is not if the store was closed meanwhile. */
  final boolean hasEntry() {
    if (entry != null && !database.isOpen()) {
      entry = null;
    }
    return entry != null;
  }

  /** Returns the key of the entry, in the form of {@link TimedKey}. */
  final byte[] key() {
    byte[] found = entry;
    if (found == null) {
      throw new IllegalStateException("the scan is at no entry");
    }
    return found;
  }

  /** Returns the value of the entry. */
  final byte[] value() {
    try {
      return foundValue();
    } catch (DBException e) {
      throw database.failed("read", e);
    }
  }

  /** Moves to the next entry. */
  final void advance() {
    try {
      step();
      entry = settle();
    } catch (DBClosedException | InvalidStateStoreException e) {
      entry = null; // The store was closed meanwhile
    } catch (DBException e) {
      throw database.failed("read", e);
    }
  }

  /** Releases the cursor. Closing it twice does nothing. */
  final void close() {
    entry = null;
    cursor.close();
  }
}
