package dev.kv.core.transaction;

import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.read.ReadRange;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** The keys and ranges that a transaction has read and depends on. Not thread-safe. */
final class ReadSet {
  private final TreeSet<byte[]> keys;
  private final List<ReadRange> ranges = new ArrayList<>();

  ReadSet(UserKeyComparator order) {
    keys = new TreeSet<>(order::compare);
  }

  boolean contains(byte[] key) {
    return keys.contains(key);
  }

  /** Adds a key. Takes ownership of the array. */
  void add(byte[] key) {
    keys.add(key);
  }

  void add(ReadRange range) {
    ranges.add(range);
  }

  /** Returns the ranges; not a copy. */
  List<ReadRange> ranges() {
    return ranges;
  }

  /** Returns the keys that were read and those that were written, each of them once. */
  List<byte[]> keysWith(WriteSet writes) {
    List<byte[]> all = new ArrayList<>(writes.keys());
    for (byte[] key : keys) {
      if (writes.get(key) == null) {
        all.add(key);
      }
    }
    return all;
  }
}
