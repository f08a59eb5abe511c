package dev.kv;

import dev.kv.bytes.Entry;
import dev.kv.bytes.Slice;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one scan, for a {@code for} statement. {@link DB#entries(ReadOptions)} creates it
 * over a frozen view of the database. Not thread-safe.
 *
 * <pre>{@code
 * try (Entries entries = db.entries(ReadOptions.withPrefix(prefix))) {
 *   for (Entry entry : entries) {
 *     System.out.println(entry);
 *   }
 * }
 * }</pre>
 *
 * <p>An open scan pins memory and files. It closes itself after its last entry; if the loop may end
 * earlier, close it.
 */
public final class Entries implements Iterable<Entry>, AutoCloseable {
  private final DBIterator cursor;
  private final boolean descending;
  private boolean iterated;
  private boolean closed;

  /** Creates a scan over a cursor without a position, and takes ownership of it. */
  Entries(DBIterator cursor, boolean descending) {
    this.cursor = cursor;
    this.descending = descending;
  }

  /**
   * Returns the iterator over the entries. It can be called once.
   *
   * @return the iterator; every entry owns fresh arrays
   * @throws IllegalStateException if it was called before, or if the scan is closed
   */
  @Override
  public Iterator<Entry> iterator() {
    if (closed) {
      throw closedScan();
    }
    if (iterated) {
      throw new IllegalStateException("the scan has its iterator already: it is for one loop");
    }
    iterated = true;
    return new Scan();
  }

  /**
   * Returns the entries as a sequential stream. It is an alternative to {@link #iterator()}, and
   * can be called once. To close the stream closes this scan.
   *
   * @return the stream; every entry owns fresh arrays
   * @throws IllegalStateException if an iterator or a stream was returned before, or if the scan is
   *     closed
   */
  public Stream<Entry> stream() {
    int traits = Spliterator.ORDERED | Spliterator.NONNULL | Spliterator.DISTINCT;
    return StreamSupport.stream(Spliterators.spliteratorUnknownSize(iterator(), traits), false)
        .onClose(this::close);
  }

  /** Releases the view. Closing it twice does nothing. */
  @Override
  public void close() {
    closed = true;
    cursor.close();
  }

  /** Returns the options for the cursor of a scan, which refuses descending options. */
  static ReadOptions ascending(ReadOptions options) {
    Objects.requireNonNull(options, "options");
    return options.descending() ? options.toBuilder().descending(false).build() : options;
  }

  /** Passes every entry of {@code cursor} to {@code action}, and closes the cursor. */
  static void forEach(
      DBIterator cursor, boolean descending, BiConsumer<? super Slice, ? super Slice> action) {
    try (cursor) {
      if (descending) {
        for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
          action.accept(cursor.keySlice(), cursor.valueSlice());
        }
      } else {
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
          action.accept(cursor.keySlice(), cursor.valueSlice());
        }
      }
    }
  }

  private static IllegalStateException closedScan() {
    return new IllegalStateException("the scan is closed");
  }

  /** The iterator, which closes the scan after the last entry. */
  private final class Scan implements Iterator<Entry> {
    private final Iterator<Entry> entries =
        descending
            ? new CursorIterator(cursor, DBIterator::seekToLast, DBIterator::prev)
            : new CursorIterator(cursor, DBIterator::seekToFirst, DBIterator::next);
    private boolean ended;

    @Override
    public boolean hasNext() {
      if (ended) {
        return false;
      }
      if (closed) {
        throw closedScan();
      }
      if (entries.hasNext()) {
        return true;
      }
      ended = true;
      close();
      return false;
    }

    @Override
    public Entry next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return entries.next();
    }
  }

  /**
   * The entries of a cursor. It moves the cursor when the next entry is asked for, and not before:
   * a move that fails does not withhold the entry before it. After a failed move, all calls throw
   * its failure.
   */
  static final class CursorIterator implements Iterator<Entry> {
    private final DBIterator cursor;
    private final Consumer<DBIterator> step;

    /** The move to the next entry, or null if the cursor is at it. */
    private @Nullable Consumer<DBIterator> move;

    private @Nullable RuntimeException failure;

    /**
     * Creates an iterator.
     *
     * @param begin moves to the first entry; null if the cursor is at it
     * @param step moves to the next entry
     */
    CursorIterator(
        DBIterator cursor, @Nullable Consumer<DBIterator> begin, Consumer<DBIterator> step) {
      this.cursor = cursor;
      this.move = begin;
      this.step = step;
    }

    @Override
    public boolean hasNext() {
      if (failure != null) {
        throw failure;
      }
      if (move != null) {
        try {
          move.accept(cursor);
        } catch (RuntimeException e) {
          failure = e;
          throw e;
        }
        move = null;
      }
      return cursor.isValid();
    }

    @Override
    public Entry next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      Entry entry = new Entry(cursor.key(), cursor.value());
      move = step;
      return entry;
    }
  }
}
