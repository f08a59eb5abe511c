package dev.kv.space;

import dev.kv.DBIterator;
import dev.kv.bytes.Slice;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A cursor over the keys with one prefix, which it adds to targets and removes from keys. */
final class SpaceIterator implements DBIterator {
  private final DBIterator cursor;
  private final KeyPrefix prefix;
  private @Nullable Slice whole;
  private @Nullable Slice keySlice;

  /** Creates a cursor, which takes ownership of one that has the prefix as its bounds. */
  SpaceIterator(DBIterator cursor, KeyPrefix prefix) {
    this.cursor = cursor;
    this.prefix = prefix;
  }

  @Override
  public boolean isValid() {
    return cursor.isValid();
  }

  @Override
  public boolean isPlaced() {
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
    cursor.seek(prefix.join(Objects.requireNonNull(key, "key")));
  }

  @Override
  public void seek(ByteBuffer key) {
    cursor.seek(prefix.join(Objects.requireNonNull(key, "key")));
  }

  @Override
  public void seekForPrev(byte[] key) {
    cursor.seekForPrev(prefix.join(Objects.requireNonNull(key, "key")));
  }

  @Override
  public void seekForPrev(ByteBuffer key) {
    cursor.seekForPrev(prefix.join(Objects.requireNonNull(key, "key")));
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
    return keySlice().toByteArray();
  }

  @Override
  public byte[] value() {
    return cursor.value();
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // slices are equal if their bytes are
  public Slice keySlice() {
    Slice current = cursor.keySlice();
    Slice key = keySlice;
    if (key == null || whole != current) {
      key = current.suffix(prefix.length());
      whole = current;
      keySlice = key;
    }
    return key;
  }

  @Override
  public Slice valueSlice() {
    return cursor.valueSlice();
  }

  @Override
  public void close() {
    cursor.close();
  }
}
