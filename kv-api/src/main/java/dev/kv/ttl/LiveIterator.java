package dev.kv.ttl;

import dev.kv.DBIterator;
import dev.kv.bytes.Slice;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.view.IteratorView;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A cursor over the entries that have not expired at one moment, with their values. */
final class LiveIterator extends IteratorView {
  private static final Slice EMPTY = Slice.of(new byte[0]);

  private final long time;
  private final boolean keysOnly;
  private @Nullable Slice stored;
  private @Nullable Slice valueSlice;

  /**
   * Creates a cursor, which takes ownership of one over the stored values.
   *
   * @param time the time in milliseconds, read after {@code cursor} was opened
   * @param keysOnly true to show empty values
   */
  LiveIterator(DBIterator cursor, long time, boolean keysOnly) {
    super(cursor);
    this.time = time;
    this.keysOnly = keysOnly;
  }

  private void skipForward() {
    while (cursor.isValid() && !isLive(cursor.valueSlice())) {
      cursor.next();
    }
  }

  private void skipBackward() {
    while (cursor.isValid() && !isLive(cursor.valueSlice())) {
      cursor.prev();
    }
  }

  private boolean isLive(Slice current) {
    try {
      return Expiry.isLive(current, time);
    } catch (UnsupportedFormatException e) {
      cursor.isValid(); // throws if the database was closed meanwhile: it had other bytes then
      throw e;
    }
  }

  @Override
  public void seekToFirst() {
    cursor.seekToFirst();
    skipForward();
  }

  @Override
  public void seekToLast() {
    cursor.seekToLast();
    skipBackward();
  }

  @Override
  public void seek(byte[] key) {
    cursor.seek(key);
    skipForward();
  }

  @Override
  public void seek(ByteBuffer key) {
    cursor.seek(key);
    skipForward();
  }

  @Override
  public void seekForPrev(byte[] key) {
    cursor.seekForPrev(key);
    skipBackward();
  }

  @Override
  public void seekForPrev(ByteBuffer key) {
    cursor.seekForPrev(key);
    skipBackward();
  }

  @Override
  public void next() {
    cursor.next();
    skipForward();
  }

  @Override
  public void prev() {
    cursor.prev();
    skipBackward();
  }

  @Override
  public byte[] value() {
    return valueSlice().toByteArray();
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // slices are equal if their bytes are
  public Slice valueSlice() {
    Slice current = cursor.valueSlice();
    if (keysOnly) {
      return EMPTY;
    }
    isLive(current); // throws after a move that has thrown; the slice of it is the same object
    Slice value = valueSlice;
    if (value == null || stored != current) {
      value = current.suffix(Expiry.LENGTH);
      stored = current;
      valueSlice = value;
    }
    return value;
  }
}
