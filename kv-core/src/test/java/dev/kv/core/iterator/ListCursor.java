package dev.kv.core.iterator;

import static dev.kv.core.Bytes.direct;

import dev.kv.core.key.KeyComparator;
import dev.kv.core.table.block.Entries;
import java.nio.ByteBuffer;
import java.util.List;

/** A cursor over a list of entries, which a test may change and watch. */
final class ListCursor extends InternalIterator {
  private final KeyComparator comparator;
  private final List<Entries.Entry> entries;
  private int at = -1;
  int seeks;
  int closes;

  ListCursor(KeyComparator comparator, List<Entries.Entry> entries) {
    this.comparator = comparator;
    this.entries = entries;
  }

  @Override
  public void seekToFirst() {
    at = 0;
    place();
  }

  @Override
  public void seekToLast() {
    at = entries.size() - 1;
    place();
  }

  @Override
  public void seek(ByteBuffer key, int offset, int length) {
    seeks++;
    at = 0;
    while (at < entries.size() && compare(entries.get(at).key(), key, offset, length) < 0) {
      at++;
    }
    place();
  }

  private int compare(byte[] own, ByteBuffer key, int offset, int length) {
    return comparator.compare(direct(own), 0, own.length, key, offset, length);
  }

  @Override
  public void next() {
    requireValid();
    at++;
    place();
  }

  @Override
  public void prev() {
    requireValid();
    at--;
    place();
  }

  private void requireValid() {
    if (!valid) {
      throw new AssertionError("moved while invalid");
    }
  }

  /** Adds an entry as a live memtable does, without moving from the entry shown. */
  void insert(int index, Entries.Entry entry) {
    entries.add(index, entry);
    if (index <= at) {
      at++;
    }
  }

  private void place() {
    valid = at >= 0 && at < entries.size();
    if (valid) {
      Entries.Entry entry = entries.get(at);
      keyOffset = 2;
      keyLength = entry.key().length;
      keyBuffer = direct(keyOffset + keyLength).put(keyOffset, entry.key());
      valueOffset = 1;
      valueLength = entry.value().length;
      valueBuffer = direct(valueOffset + valueLength).put(valueOffset, entry.value());
    }
  }

  @Override
  public void close() {
    closes++;
  }
}
