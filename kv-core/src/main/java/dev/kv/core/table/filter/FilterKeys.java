package dev.kv.core.table.filter;

import static java.util.Objects.requireNonNull;

import dev.kv.FilterPolicy;
import dev.kv.bytes.Slice;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * User keys for a filter: their hashes for the bloom filter, copies for any other policy. Not
 * thread-safe.
 */
public final class FilterKeys {
  private static final int FIRST_HASHES = 64;

  private final FilterPolicy policy;
  private int[] hashes = new int[FIRST_HASHES];
  private int hashCount;
  private final List<Slice> copies = new ArrayList<>();

  /** Creates an empty set of keys for filters of {@code policy}. */
  public FilterKeys(FilterPolicy policy) {
    this.policy = policy;
  }

  /** Returns true if there is no key. */
  boolean isEmpty() {
    return hashCount == 0 && copies.isEmpty();
  }

  /** Adds a key. */
  public void add(ByteBuffer key, int offset, int length) {
    if (policy instanceof BloomFilter) {
      reserve(1);
      hashes[hashCount++] = BloomFilter.hash(key, offset, length);
    } else {
      byte[] copy = new byte[length];
      key.get(offset, copy);
      copies.add(Slice.of(copy));
    }
  }

  /** Adds keys that were collected for the same policy. */
  void addAll(FilterKeys others) {
    reserve(others.hashCount);
    System.arraycopy(others.hashes, 0, hashes, hashCount, others.hashCount);
    hashCount += others.hashCount;
    copies.addAll(others.copies);
  }

  private void reserve(int more) {
    int needed = hashCount + more;
    if (needed > hashes.length) {
      hashes = Arrays.copyOf(hashes, Math.max(needed, 2 * hashes.length));
    }
  }

  /** Removes all keys. */
  public void clear() {
    hashCount = 0;
    copies.clear();
  }

  /** Returns the filter of the keys; requires that there is one. */
  byte[] filter() {
    return hashCount > 0
        ? ((BloomFilter) policy).create(hashes, hashCount)
        : requireNonNull(
            policy.createFilter(List.copyOf(copies)), "the filter policy returned null");
  }
}
