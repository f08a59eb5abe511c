package dev.kv;

import dev.kv.admin.DBStats;
import dev.kv.bytes.Entry;
import dev.kv.bytes.Slice;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBClosedException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A cursor over a frozen view of a database, in the comparator's order. Not thread-safe. A cursor
 * pins memory and files, so close it. If a program loses a cursor without closing it, the database
 * releases what it pins some time after its garbage collection, counts it in {@link
 * DBStats.Views#leakedIterators()} and logs a warning. With {@link
 * Options.Monitoring#trackIterators()}, the warning has the stack trace of the call that opened the
 * cursor.
 *
 * <p>A new cursor has no position: a seek comes first. Until then, every method that needs a
 * position, {@link #isValid} included, throws {@link IllegalStateException}. After a seek or a
 * move, the cursor is at an entry, or past either end.
 *
 * <pre>{@code
 * try (DBIterator cursor = db.iterator()) {
 *   for (cursor.seek(first); cursor.isValid(); cursor.next()) {
 *     use(cursor.keySlice(), cursor.valueSlice());
 *   }
 * }
 * }</pre>
 *
 * <p>If a block is damaged, a move throws {@link CorruptionException}, and the cursor is at no
 * entry then. After the database is closed, every method except {@link #close} throws {@link
 * DBClosedException}; after the cursor is closed, {@link IllegalStateException}. Programs do not
 * implement this interface: later versions may add methods.
 */
public interface DBIterator extends AutoCloseable {

  /**
   * Returns true if the cursor is at an entry.
   *
   * @return true if there is a current entry; false past either end
   * @throws IllegalStateException if no seek was made
   */
  boolean isValid();

  /**
   * Returns true if a seek was made, whether or not it found an entry.
   *
   * @return true after the first seek
   */
  boolean isPlaced();

  /** Moves to the first entry. */
  void seekToFirst();

  /** Moves to the last entry. */
  void seekToLast();

  /**
   * Moves to the first entry at or after a key.
   *
   * @param key the key
   */
  default void seek(byte[] key) {
    seek(ByteBuffer.wrap(Objects.requireNonNull(key, "key")));
  }

  /**
   * Moves to the first entry at or after a key.
   *
   * @param key the key: the remaining bytes, direct or heap; the position does not change
   */
  void seek(ByteBuffer key);

  /**
   * Moves to the last entry at or before a key.
   *
   * @param key the key
   */
  default void seekForPrev(byte[] key) {
    seekForPrev(ByteBuffer.wrap(Objects.requireNonNull(key, "key")));
  }

  /**
   * Moves to the last entry at or before a key.
   *
   * @param key the key: the remaining bytes, direct or heap; the position does not change
   */
  void seekForPrev(ByteBuffer key);

  /**
   * Moves to the next entry.
   *
   * @throws IllegalStateException if the cursor is at no entry
   */
  void next();

  /**
   * Moves to the previous entry.
   *
   * @throws IllegalStateException if the cursor is at no entry
   */
  void prev();

  /**
   * Returns the key of the current entry.
   *
   * @return a copy, which the caller owns
   * @throws IllegalStateException if the cursor is at no entry
   */
  byte[] key();

  /**
   * Returns the value of the current entry.
   *
   * @return a copy, which the caller owns
   * @throws IllegalStateException if the cursor is at no entry
   */
  byte[] value();

  /**
   * Returns a view of the key of the current entry.
   *
   * @return a view, valid until the next move or close; the next call may return the same object
   * @throws IllegalStateException if the cursor is at no entry
   */
  Slice keySlice();

  /**
   * Returns a view of the value of the current entry.
   *
   * @return a view, valid until the next move or close; the next call may return the same object
   * @throws IllegalStateException if the cursor is at no entry
   */
  Slice valueSlice();

  /** Releases the view. Closing it twice does nothing. */
  @Override
  void close();

  /**
   * Returns the entries from the current one to the last. If no seek was made, it begins at the
   * first entry. The iterator moves this cursor when the next entry is asked for: until {@code
   * hasNext} or {@code next} is called again, the cursor is at the entry that was returned last. It
   * works until the cursor is closed.
   *
   * @return an iterator; every entry owns fresh arrays
   */
  default Iterator<Entry> asIterator() {
    if (!isPlaced()) {
      seekToFirst();
    }
    return new Entries.CursorIterator(this, null, DBIterator::next);
  }

  /**
   * Returns {@link #asIterator} as a sequential stream. To close the stream closes this cursor.
   *
   * @return a stream; every entry owns fresh arrays
   */
  default Stream<Entry> stream() {
    int traits = Spliterator.ORDERED | Spliterator.NONNULL | Spliterator.DISTINCT;
    return StreamSupport.stream(Spliterators.spliteratorUnknownSize(asIterator(), traits), false)
        .onClose(this::close);
  }
}
