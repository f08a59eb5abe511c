package dev.kv.map;

import dev.kv.DBIterator;
import dev.kv.bytes.Entry;
import dev.kv.errors.CorruptionException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The iterator of a map's views. Callers cannot close an {@link Iterator}, so it holds no cursor:
 * it copies the entries in chunks, each with a cursor of its own. Weakly consistent: a chunk shows
 * the state at the time of its read. Not thread-safe.
 */
final class Scan<E> implements Iterator<E> {
  private static final int FIRST_ENTRIES = 16;
  private static final int MOST_ENTRIES = 1024;
  private static final int MOST_BYTES = 256 << 10;

  private final MapStore<?, ?> store;
  private final boolean withValues;
  private final Function<Entry, E> decoder;

  private List<Entry> chunk = List.of();
  private int position;
  private int entries = FIRST_ENTRIES;

  /** The range after the chunk, or null if the chunk is the last. */
  private @Nullable KeyRange rest;

  private byte @Nullable [] removable;

  /**
   * Creates an iterator. It reads nothing before its first use.
   *
   * @param withValues false if {@code decoder} needs only the keys
   */
  Scan(MapStore<?, ?> store, KeyRange range, boolean withValues, Function<Entry, E> decoder) {
    this.store = store;
    this.rest = range;
    this.withValues = withValues;
    this.decoder = decoder;
  }

  static <K> Iterator<K> keys(MapStore<K, ?> store, KeyRange range) {
    return new Scan<>(store, range, false, entry -> store.decodeKey(entry.key()));
  }

  static <V> Iterator<V> values(MapStore<?, V> store, KeyRange range) {
    return new Scan<>(store, range, true, entry -> store.decodeValue(entry.key(), entry.value()));
  }

  static <K, V> Iterator<Map.Entry<K, V>> entries(MapStore<K, V> store, KeyRange range) {
    return new Scan<>(store, range, true, store::decode);
  }

  @Override
  public boolean hasNext() {
    if (position < chunk.size()) {
      return true;
    }
    KeyRange next = rest;
    if (next != null) {
      read(next);
    }
    return position < chunk.size();
  }

  @Override
  public E next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    Entry entry = chunk.get(position++);
    removable = null; // an entry that cannot be decoded is not returned
    E element = decoder.apply(entry);
    removable = entry.key();
    return element;
  }

  /** Deletes the key that was returned last, whatever its value is by now. */
  @Override
  public void remove() {
    byte[] key = removable;
    if (key == null) {
      throw new IllegalStateException("no entry to remove: call next() first");
    }
    store.delete(key);
    removable = null;
  }

  /**
   * Reads the next chunk. What precedes a damaged block is a chunk of its own, and the next call
   * fails, as does every call after it.
   */
  private void read(KeyRange range) {
    chunk = List.of();
    position = 0;
    List<Entry> next = new ArrayList<>();
    boolean ended = range.isEmpty();
    if (!ended) {
      try (DBIterator cursor = store.cursor(range)) {
        ended = copy(cursor, range.descending(), next);
      } catch (CorruptionException e) {
        if (next.isEmpty()) {
          throw e;
        }
      }
    }
    chunk = next;
    rest = ended ? null : range.after(next.get(next.size() - 1).key(), false);
    entries = Math.min(2 * entries, MOST_ENTRIES);
  }

  /** Copies the next entries; returns true if there are no more. */
  private boolean copy(DBIterator cursor, boolean descending, List<Entry> copies) {
    if (descending) {
      cursor.seekToLast();
    } else {
      cursor.seekToFirst();
    }
    long bytes = 0;
    while (cursor.isValid() && copies.size() < entries && bytes < MOST_BYTES) {
      Entry entry = MapStore.entry(cursor, withValues);
      copies.add(entry);
      bytes += entry.key().length + entry.value().length;
      if (descending) {
        cursor.prev();
      } else {
        cursor.next();
      }
    }
    return !cursor.isValid();
  }
}
