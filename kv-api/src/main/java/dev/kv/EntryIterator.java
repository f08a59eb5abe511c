package dev.kv;

import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;

/** The adaptor behind {@link DBIterator#asIterator}. */
final class EntryIterator implements Iterator<Map.Entry<byte[], byte[]>> {
  private final DBIterator cursor;

  EntryIterator(DBIterator cursor) {
    this.cursor = cursor;
  }

  @Override
  public boolean hasNext() {
    return cursor.isValid();
  }

  @Override
  public Map.Entry<byte[], byte[]> next() {
    if (!cursor.isValid()) {
      throw new NoSuchElementException();
    }
    Map.Entry<byte[], byte[]> entry = Map.entry(cursor.key(), cursor.value());
    cursor.next();
    return entry;
  }
}
