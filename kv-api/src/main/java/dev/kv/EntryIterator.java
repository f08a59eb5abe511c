package dev.kv;

import dev.kv.bytes.Entry;
import java.util.Iterator;
import java.util.NoSuchElementException;

/** The iterator of {@link DBIterator#asIterator}, over a cursor that has a position. */
final class EntryIterator implements Iterator<Entry> {
  private final DBIterator cursor;

  EntryIterator(DBIterator cursor) {
    this.cursor = cursor;
  }

  @Override
  public boolean hasNext() {
    return cursor.isValid();
  }

  @Override
  public Entry next() {
    if (!cursor.isValid()) {
      throw new NoSuchElementException();
    }
    Entry entry = new Entry(cursor.key(), cursor.value());
    cursor.next();
    return entry;
  }
}
