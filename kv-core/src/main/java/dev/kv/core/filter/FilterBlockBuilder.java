package dev.kv.core.filter;

import dev.kv.FilterPolicy;
import dev.kv.Slice;
import dev.kv.core.codec.Fixed;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Builds the filter block of a table, which has a filter for every {@code 1 << base} bytes of the
 * file.
 *
 * <pre>
 * filter block := filter*, (offset of each filter) fixed32*, offset of that array fixed32, base 1
 *                 byte
 * </pre>
 *
 * The calls are {@code (startBlock addKey*)* finish}. A base of 31 gives one filter for the table.
 */
public final class FilterBlockBuilder {
  private final FilterPolicy policy;
  private final int baseLog;
  private final ByteArrayOutputStream result = new ByteArrayOutputStream();
  private final List<Integer> offsets = new ArrayList<>();

  // The keys since the last filter: their hashes for the bloom filter, copies for any other policy.
  private int[] hashes = new int[1024];
  private int hashCount;
  private final List<Slice> keys = new ArrayList<>();

  /** Creates the builder; {@code baseLog} is 11 in C++ LevelDB. */
  public FilterBlockBuilder(FilterPolicy policy, int baseLog) {
    this.policy = policy;
    this.baseLog = baseLog;
  }

  /** Begins the data block at {@code offset} of the file. */
  public void startBlock(long offset) {
    long index = offset >>> baseLog;
    while (index > offsets.size()) {
      generate();
    }
  }

  /** Adds a user key of the current block. */
  public void addKey(ByteBuffer key, int offset, int length) {
    if (policy instanceof BloomFilter) {
      if (hashCount == hashes.length) {
        hashes = Arrays.copyOf(hashes, 2 * hashCount);
      }
      hashes[hashCount++] = BloomFilter.hash(key, offset, length);
    } else {
      byte[] copy = new byte[length];
      key.get(offset, copy);
      keys.add(Slice.of(copy));
    }
  }

  /** Returns the block. */
  public byte[] finish() {
    if (hashCount > 0 || !keys.isEmpty()) {
      generate();
    }
    int arrayOffset = result.size();
    byte[] array = new byte[Integer.BYTES * (offsets.size() + 1) + 1];
    int at = 0;
    for (int offset : offsets) {
      at = Fixed.put32(array, at, offset);
    }
    at = Fixed.put32(array, at, arrayOffset);
    array[at] = (byte) baseLog;
    result.writeBytes(array);
    return result.toByteArray();
  }

  private void generate() {
    offsets.add(result.size());
    if (hashCount > 0) {
      result.writeBytes(((BloomFilter) policy).create(hashes, hashCount));
      hashCount = 0;
    } else if (!keys.isEmpty()) {
      result.writeBytes(policy.createFilter(List.copyOf(keys)));
      keys.clear();
    }
  }
}
