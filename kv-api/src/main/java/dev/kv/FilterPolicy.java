package dev.kv;

import java.util.List;

/**
 * A summary of the keys of a table that can say "certainly not here" without a read. Thread-safe.
 * The name is stored beside each filter, and a filter of another name is ignored; so a policy whose
 * encoding changes needs a new name.
 */
public interface FilterPolicy {

  /**
   * Returns LevelDB's bloom filter, {@code leveldb.BuiltinBloomFilter2}. Ten bits a key give about
   * one false positive in a hundred.
   */
  static FilterPolicy bloom(int bitsPerKey) {
    return DBFactory.instance().newBloomFilter(bitsPerKey);
  }

  /** Returns the name under which filters are stored. */
  String name();

  /**
   * Returns a filter over {@code keys}, which may repeat; the slices' window ends with the call.
   */
  byte[] createFilter(List<Slice> keys);

  /** Returns false only if {@code key} was not among the keys that {@code filter} was made of. */
  boolean keyMayMatch(Slice key, Slice filter);
}
