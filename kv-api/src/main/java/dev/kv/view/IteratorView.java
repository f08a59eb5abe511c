package dev.kv.view;

import dev.kv.DBIterator;
import dev.kv.bytes.Slice;
import java.nio.ByteBuffer;

/** A cursor that passes every call on to another one. */
public abstract class IteratorView implements DBIterator {
  /** The cursor that gets the calls. */
  protected final DBIterator cursor;

  /**
   * Creates a view, which takes ownership of {@code cursor}.
   *
   * @param cursor the cursor that gets the calls
   */
  protected IteratorView(DBIterator cursor) {
    this.cursor = cursor;
  }

  @Override
  public final boolean isValid() {
    return cursor.isValid();
  }

  @Override
  public final boolean isPlaced() {
    return cursor.isPlaced();
  }

  @Override
  public void seekToFirst() {
    cursor.seekToFirst();
  }

  @Override
  public void seekToLast() {
    cursor.seekToLast();
  }

  @Override
  public void seek(byte[] key) {
    cursor.seek(key);
  }

  @Override
  public void seek(ByteBuffer key) {
    cursor.seek(key);
  }

  @Override
  public void seekForPrev(byte[] key) {
    cursor.seekForPrev(key);
  }

  @Override
  public void seekForPrev(ByteBuffer key) {
    cursor.seekForPrev(key);
  }

  @Override
  public void next() {
    cursor.next();
  }

  @Override
  public void prev() {
    cursor.prev();
  }

  @Override
  public byte[] key() {
    return cursor.key();
  }

  @Override
  public byte[] value() {
    return cursor.value();
  }

  @Override
  public Slice keySlice() {
    return cursor.keySlice();
  }

  @Override
  public Slice valueSlice() {
    return cursor.valueSlice();
  }

  @Override
  public final void close() {
    cursor.close();
  }
}
