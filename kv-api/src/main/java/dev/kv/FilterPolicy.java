package dev.kv;

import java.util.List;

/**
 * Makes and queries a summary of the keys of a table that can say "certainly not here" without a
 * read of a data block. Thread-safe.
 *
 * <p>Tables store the name of the policy beside each filter, and ignore filters of another name. If
 * an encoding changes, give it a new name.
 */
public interface FilterPolicy {

  /**
   * Creates LevelDB's bloom filter, {@code leveldb.BuiltinBloomFilter2}. Ten bits for each key give
   * about one false positive in a hundred lookups.
   *
   * @param bitsPerKey the size of a filter, in bits for each key
   * @return the policy
   * @throws IllegalArgumentException if {@code bitsPerKey} is negative
   */
  static FilterPolicy bloom(int bitsPerKey) {
    return DBFactory.instance().newBloomFilter(bitsPerKey);
  }

  /**
   * Returns the name that tables store beside their filters.
   *
   * @return the name
   */
  String name();

  /**
   * Creates a filter.
   *
   * @param keys the keys; they may repeat, and the slices are valid during the call only
   * @return the encoded filter
   */
  byte[] createFilter(List<Slice> keys);

  /**
   * Queries a filter.
   *
   * @param key the key, valid during the call
   * @param filter a filter made by {@link #createFilter}, valid during the call
   * @return false only if {@code key} is not one of the keys that the filter was made of
   */
  boolean keyMayMatch(Slice key, Slice filter);
}
