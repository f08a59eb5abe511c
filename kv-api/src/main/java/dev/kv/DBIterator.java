package dev.kv;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.Map;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A cursor over a frozen view of a database, in the comparator's order. Begins before any entry: a
 * seek comes first. Not thread-safe. Close it: it pins memory and files.
 *
 * <p>A damaged block throws {@link CorruptionException} and leaves the cursor invalid; after the
 * database's close every method but {@link #close} throws {@link DBClosedException}.
 */
public interface DBIterator extends AutoCloseable {

  /** Returns true if the cursor stands on an entry. */
  boolean isValid();

  /** Returns true once a seek was made, whether or not it found an entry. */
  boolean isPlaced();

  /** Moves to the first entry, if any. */
  void seekToFirst();

  /** Moves to the last entry, if any. */
  void seekToLast();

  /** Moves to the first entry at or after {@code key}. */
  void seek(byte[] key);

  /** Moves to the first entry at or after the buffer's remaining bytes, whose position stays. */
  void seek(ByteBuffer key);

  /** Moves to the last entry at or before {@code key}. */
  void seekForPrev(byte[] key);

  /** Moves to the last entry at or before the buffer's remaining bytes, whose position stays. */
  void seekForPrev(ByteBuffer key);

  /** Moves to the next entry; {@link IllegalStateException} where {@link #isValid} is false. */
  void next();

  /** Moves to the entry before; {@link IllegalStateException} where {@link #isValid} is false. */
  void prev();

  /** Returns a copy of the entry's key. */
  byte[] key();

  /** Returns a copy of the entry's value. */
  byte[] value();

  /** Lends the entry's key until the next move or close. The same object each time. */
  Slice keySlice();

  /** Lends the entry's value until the next move or close. The same object each time. */
  Slice valueSlice();

  @Override
  void close();

  /**
   * Returns the entries from here to the end as an {@link Iterator} of copies: from the first entry
   * where no seek was made, and none where the cursor stands on no entry. It moves this cursor, and
   * ends with it.
   */
  default Iterator<Map.Entry<byte[], byte[]>> asIterator() {
    if (!isPlaced()) {
      seekToFirst();
    }
    return new EntryIterator(this);
  }

  /** Returns {@link #asIterator} as a sequential stream; closing the stream closes this cursor. */
  default Stream<Map.Entry<byte[], byte[]>> stream() {
    int traits = Spliterator.ORDERED | Spliterator.NONNULL | Spliterator.DISTINCT;
    return StreamSupport.stream(Spliterators.spliteratorUnknownSize(asIterator(), traits), false)
        .onClose(this::close);
  }
}
