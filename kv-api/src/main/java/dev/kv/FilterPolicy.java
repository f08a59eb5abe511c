package dev.kv;

import dev.kv.bytes.Slice;
import java.util.List;

/**
 * Creates and queries a filter: a summary of the keys of a table that can exclude a key without a
 * read of a data block. Thread-safe. It must not use the database that calls it.
 *
 * <p>A table stores the name of the policy with its filters. Filters with another name are ignored.
 * If an encoding changes, give it a new name.
 */
public interface FilterPolicy {

  /**
   * Creates LevelDB's bloom filter, {@code leveldb.BuiltinBloomFilter2}. Ten bits for each key give
   * about one false positive in a hundred lookups.
   *
   * @param bitsPerKey the size of a filter, in bits for each key, at most 100
   * @return the policy
   * @throws IllegalArgumentException if {@code bitsPerKey} is negative or more than 100
   */
  static FilterPolicy bloom(int bitsPerKey) {
    return DBFactory.instance().newBloomFilter(bitsPerKey);
  }

  /**
   * Returns the name that tables store with their filters.
   *
   * @return the name
   */
  String name();

  /**
   * Creates a filter.
   *
   * @param keys the keys; they may repeat, and the slices are valid during the call only
   * @return the encoded filter; C++ LevelDB finds no key by an empty one
   */
  byte[] createFilter(List<Slice> keys);

  /**
   * Queries a filter.
   *
   * @param key the key, valid during the call
   * @param filter a filter made by {@link #createFilter}, valid during the call
   * @return false only if {@code key} is not one of the keys that the filter was created from
   */
  boolean keyMayMatch(Slice key, Slice filter);
}
