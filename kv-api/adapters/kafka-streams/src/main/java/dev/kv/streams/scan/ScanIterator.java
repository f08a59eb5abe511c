package dev.kv.streams.scan;

import dev.kv.streams.database.TimedKey;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.WindowStoreIterator;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a scan, with keys in the form of Streams. The scan begins at the first call, so it
 * shows what was written until then. It moves when the next entry is asked for: a move that fails
 * does not withhold the entry before it. After that, all calls throw its failure.
 *
 * @param <K> the type of the keys
 */
public class ScanIterator<K> implements KeyValueIterator<K, byte[]> {
  private final Supplier<@Nullable CursorScan> begin;
  private final Function<byte[], K> keys;
  private @Nullable CursorScan scan;
  private boolean closed;

  /** True if the entry at the scan was returned. */
  private boolean returned;

  private @Nullable RuntimeException failure;

  /**
   * Creates an iterator.
   *
   * @param begin begins the scan, which this iterator takes ownership of, or returns null if there
   *     are no entries
   * @param keys translates keys in the form of {@link TimedKey}
   */
  public ScanIterator(Supplier<@Nullable CursorScan> begin, Function<byte[], K> keys) {
    this.begin = begin;
    this.keys = keys;
  }

  /** The entries of one key of a window store, by the start of their windows. */
  public static final class OfWindows extends ScanIterator<Long>
      implements WindowStoreIterator<byte[]> {
    /** Creates an iterator. */
    public OfWindows(Supplier<@Nullable CursorScan> begin) {
      super(begin, TimedKey.WINDOW::time);
    }
  }

  @Override
  public boolean hasNext() {
    return entryScan() != null;
  }

  /** Returns the scan at an entry, or null if there are no more, or this or the store is closed. */
  private @Nullable CursorScan entryScan() {
    if (closed) {
      return null;
    }
    CursorScan found = scan;
    if (found == null) {
      try {
        found = begin.get();
      } catch (InvalidStateStoreException e) {
        found = null;
      }
      if (found == null) {
        closed = true;
        return null;
      }
      scan = found;
    }
    if (failure != null) {
      throw failure;
    }
    if (returned) {
      advance(found);
      returned = false;
    }
    return found.hasEntry() ? found : null;
  }

  private void advance(CursorScan entries) {
    try {
      entries.advance();
    } catch (RuntimeException e) {
      failure = e;
      throw e;
    }
  }

  @Override
  public KeyValue<K, byte[]> next() {
    CursorScan entries = atEntry();
    KeyValue<K, byte[]> next = new KeyValue<>(keys.apply(entries.key()), entries.value());
    returned = true;
    return next;
  }

  @Override
  public K peekNextKey() {
    return keys.apply(atEntry().key());
  }

  private CursorScan atEntry() {
    CursorScan found = entryScan();
    if (found == null) {
      throw new NoSuchElementException();
    }
    return found;
  }

  @Override
  public void close() {
    closed = true;
    if (scan != null) {
      scan.close();
    }
  }
}
