package dev.kv.streams.scan;

import dev.kv.DBIterator;
import dev.kv.errors.DBException;
import dev.kv.streams.database.StoreDatabase;
import java.util.NoSuchElementException;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a range of a key-value store, without the first byte of their keys. It is open
 * until it is closed, or its store is. It moves when the next entry is asked for: a move that fails
 * does not withhold the entry before it. After that, all calls throw its failure.
 */
public final class EntryIterator implements KeyValueIterator<Bytes, byte[]> {
  private final StoreDatabase database;
  private final DBIterator cursor;
  private final boolean forward;
  private boolean closed;

  /** True if the entry at the cursor was returned. */
  private boolean returned;

  private @Nullable RuntimeException failure;

  /**
   * Creates an iterator at the first entry.
   *
   * @param cursor a cursor over the range, which this iterator takes ownership of
   */
  public EntryIterator(StoreDatabase database, DBIterator cursor, boolean forward) {
    this.database = database;
    this.cursor = cursor;
    this.forward = forward;
    try {
      if (forward) {
        cursor.seekToFirst();
      } else {
        cursor.seekToLast();
      }
    } catch (DBException e) {
      cursor.close();
      throw database.failed("read", e);
    }
  }

  @Override
  public boolean hasNext() {
    if (closed) {
      throw new InvalidStateStoreException("the iterator is closed");
    }
    if (failure != null) {
      throw failure;
    }
    try {
      if (returned) {
        move();
        returned = false;
      }
      return cursor.isValid();
    } catch (DBException e) {
      failure = database.failed("read", e);
      throw failure;
    }
  }

  private void move() {
    if (forward) {
      cursor.next();
    } else {
      cursor.prev();
    }
  }

  @Override
  public KeyValue<Bytes, byte[]> next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    try {
      KeyValue<Bytes, byte[]> entry = new KeyValue<>(key(), cursor.value());
      returned = true;
      return entry;
    } catch (DBException e) {
      throw database.failed("read", e);
    }
  }

  @Override
  public Bytes peekNextKey() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    try {
      return key();
    } catch (DBException e) {
      throw database.failed("read", e);
    }
  }

  private Bytes key() {
    return Bytes.wrap(cursor.keySlice().suffix(1).toByteArray());
  }

  @Override
  public void close() {
    closed = true;
    cursor.close();
  }
}
