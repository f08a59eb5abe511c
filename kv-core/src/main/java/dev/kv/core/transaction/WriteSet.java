package dev.kv.core.transaction;

import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.UserKeyComparator;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The writes of a transaction, sorted by key. Each write has a number, and a key keeps its older
 * writes, so that a cursor shows the writes up to the number at which it was opened. Not
 * thread-safe.
 */
final class WriteSet {
  /**
   * A write of a key.
   *
   * @param number the position of the write among all writes of the transaction
   * @param key the key as this write spells it, not a copy
   * @param value the value, not a copy; null for a deletion
   * @param older the write of the same key before this one, if a cursor may need it
   */
  record Write(long number, byte[] key, byte @Nullable [] value, @Nullable Write older) {
    /** What a write, a key or a range counts in addition to its bytes. */
    static final int OVERHEAD = 64;

    /** Returns the bytes that a write counts; that of a key that was read has no value. */
    static long cost(byte[] key, byte @Nullable [] value) {
      return (long) key.length + (value == null ? 0 : value.length) + OVERHEAD;
    }

    /** Returns the newest write of the key up to a number; null if there is none. */
    @Nullable Write upTo(long last) {
      Write write = this;
      while (write != null && write.number > last) {
        write = write.older;
      }
      return write;
    }
  }

  private final NavigableMap<byte[], Write> writes;

  /** The number of the last write. */
  private long last;

  /** The number of the last write that an open cursor shows; -1 if none is open. */
  private long shown = -1;

  WriteSet(UserKeyComparator order) {
    writes = new TreeMap<>(order::compare);
  }

  /** Adds a write. Takes ownership of both arrays. */
  void add(byte[] key, byte @Nullable [] value) {
    last++;
    writes.compute(key, (same, before) -> new Write(last, key, value, shownOf(before)));
  }

  /** Returns the bytes of the writes that the next write of a key replaces. */
  long replacedBytes(byte[] key) {
    long bytes = 0;
    Write write = writes.get(key);
    for (; write != null && write.number > shown; write = write.older) {
      bytes += Write.cost(write.key, write.value);
    }
    return bytes;
  }

  /** Returns the newest write that an open cursor may show, of a key's writes; null if none. */
  private @Nullable Write shownOf(@Nullable Write newest) {
    return newest == null ? null : newest.upTo(shown);
  }

  /** Returns the newest write of a key; null if there is none. */
  @Nullable Write get(byte[] key) {
    return writes.get(key);
  }

  boolean isEmpty() {
    return writes.isEmpty();
  }

  /** Returns the keys; not a copy. */
  Set<byte[]> keys() {
    return writes.keySet();
  }

  /** Keeps all present writes for a cursor that is being opened; returns the last number. */
  long show() {
    shown = last;
    return last;
  }

  /** Notes that no cursor is open: later writes replace all earlier ones of their keys. */
  void hide() {
    shown = -1;
  }

  /** Returns the writes of the keys in a range; later writes appear in it. */
  NavigableMap<byte[], Write> range(KeyBounds bounds) {
    byte[] lower = bounds.lower();
    byte[] upper = bounds.upper();
    NavigableMap<byte[], Write> range = writes;
    if (lower != null && upper != null && writes.comparator().compare(lower, upper) > 0) {
      return range.subMap(lower, true, lower, false); // empty, as the cursor of the database is
    }
    if (lower != null) {
      range = range.tailMap(lower, true);
    }
    return upper == null ? range : range.headMap(upper, false);
  }

  /** Returns the writes as a batch. */
  EncodedBatch toBatch() {
    EncodedBatch batch = new EncodedBatch();
    for (Write each : writes.values()) {
      byte[] value = each.value();
      if (value == null) {
        batch.delete(each.key());
      } else {
        batch.put(each.key(), value);
      }
    }
    return batch;
  }
}
