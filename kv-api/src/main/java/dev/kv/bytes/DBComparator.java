package dev.kv.bytes;

import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A total order over user keys. The MANIFEST stores its name, and a database opens only with a
 * comparator of that name. If an order changes, give it a new name.
 *
 * <p>Implementations are thread-safe and never throw. If one throws nevertheless, the caller gets a
 * {@link dev.kv.errors.ComparatorException}. They must not use the database that calls them: a
 * write compares keys while all other writes wait for it. A slice is valid only during the call
 * that it is passed to.
 */
public interface DBComparator {

  /**
   * Returns the default order: keys compare as unsigned bytes, and a prefix comes before a longer
   * key. Its name is {@code leveldb.BytewiseComparator}.
   *
   * @return the bytewise order, always the same object
   */
  static DBComparator bytewise() {
    return BytewiseComparator.INSTANCE;
  }

  /**
   * Creates an order from a comparator of slices. Comparisons copy nothing.
   *
   * @param name the name that the MANIFEST stores
   * @param order the order; thread-safe; it must not keep the slices
   * @return an order with that name
   */
  static DBComparator of(String name, Comparator<? super Slice> order) {
    return new SliceComparator(name, order);
  }

  /**
   * Creates an order from a comparator of arrays. Each comparison copies both keys, so it is slower
   * than {@link #of}.
   *
   * @param name the name that the MANIFEST stores
   * @param order the order; thread-safe
   * @return an order with that name
   */
  static DBComparator ofArrays(String name, Comparator<byte[]> order) {
    return new ArrayComparator(name, order);
  }

  /**
   * Returns the name that the MANIFEST stores. Names that begin with {@code leveldb.} are reserved
   * for LevelDB's own comparators.
   *
   * @return the name
   */
  String name();

  /**
   * Compares two user keys.
   *
   * @param a the first key, valid during the call
   * @param b the second key, valid during the call
   * @return a negative number, zero or a positive number if {@code a} is before, equal to or after
   *     {@code b}
   */
  int compare(Slice a, Slice b);

  /**
   * Returns a key that separates two keys and is shorter than the first. Tables use it in their
   * index, which gets smaller. It is never needed for correctness: the default returns null.
   *
   * @param start the smaller key, valid during the call
   * @param limit the larger key, valid during the call
   * @return a key at or after {@code start} and before {@code limit}, or null to use {@code start}
   */
  default byte @Nullable [] shortestSeparator(Slice start, Slice limit) {
    return null;
  }

  /**
   * Returns a short key at or after a key. Tables use it for the last entry of their index. It is
   * never needed for correctness: the default returns null.
   *
   * @param key the key, valid during the call
   * @return a key at or after {@code key}, or null to use {@code key}
   */
  default byte @Nullable [] shortSuccessor(Slice key) {
    return null;
  }
}
