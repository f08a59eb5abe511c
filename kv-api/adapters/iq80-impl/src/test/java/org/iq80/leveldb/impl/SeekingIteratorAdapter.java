package org.iq80.leveldb.impl;

import java.io.IOException;
import java.util.Map;
import org.iq80.leveldb.DBIterator;

/** The name by which DbImplTest is compiled against an iterator. */
public final class SeekingIteratorAdapter implements DBIterator {
  private final DBIterator entries;

  SeekingIteratorAdapter(DBIterator entries) {
    this.entries = entries;
  }

  @Override
  public void seek(byte[] key) {
    entries.seek(key);
  }

  @Override
  public void seekToFirst() {
    entries.seekToFirst();
  }

  @Override
  public void seekToLast() {
    entries.seekToLast();
  }

  @Override
  public boolean hasNext() {
    return entries.hasNext();
  }

  @Override
  public Map.Entry<byte[], byte[]> next() {
    return entries.next();
  }

  @Override
  public Map.Entry<byte[], byte[]> peekNext() {
    return entries.peekNext();
  }

  @Override
  public boolean hasPrev() {
    return entries.hasPrev();
  }

  @Override
  public Map.Entry<byte[], byte[]> prev() {
    return entries.prev();
  }

  @Override
  public Map.Entry<byte[], byte[]> peekPrev() {
    return entries.peekPrev();
  }

  @Override
  public void close() throws IOException {
    entries.close();
  }
}
