package dev.kv.core.table.filter;

import dev.kv.FilterPolicy;
import dev.kv.core.memory.BufferSlice;
import java.nio.ByteBuffer;

/**
 * The filter block of an open table (see {@link FilterBlockBuilder}). Thread-safe. A malformed
 * block matches every key, because a filter only saves reads and never decides the result.
 */
public final class FilterBlockReader {
  private static final int WHOLE_TABLE_LOG = 31;

  private final FilterPolicy policy;
  private final boolean bloom;
  private final ByteBuffer block;
  private final int arrayOffset;
  private final int count;
  private final int baseLog;

  /**
   * Creates a reader over the first {@code length} bytes of a direct, little-endian buffer, which
   * it borrows.
   */
  public FilterBlockReader(FilterPolicy policy, ByteBuffer block, int length) {
    this.policy = policy;
    this.bloom = policy instanceof BloomFilter;
    this.block = block;
    int last = length - 1 - Integer.BYTES;
    long array = last < 0 ? -1 : block.getInt(last) & 0xffffffffL;
    boolean sound = array >= 0 && array <= last;
    arrayOffset = sound ? (int) array : 0;
    count = sound ? (last - arrayOffset) / Integer.BYTES : 0;
    baseLog = last < 0 ? 0 : block.get(length - 1) & 63;
  }

  /** Returns true if one filter covers all of the table, so that a probe needs no block offset. */
  public boolean wholeTable() {
    return baseLog >= WHOLE_TABLE_LOG && count == 1;
  }

  /** Returns false only if the user key is not in the data block at {@code blockOffset}. */
  public boolean mayContain(long blockOffset, ByteBuffer key, int offset, int length) {
    long index = blockOffset >>> baseLog;
    if (index >= count) {
      return true;
    }
    int entry = arrayOffset + (int) index * Integer.BYTES;
    long from = block.getInt(entry) & 0xffffffffL;
    long to = block.getInt(entry + Integer.BYTES) & 0xffffffffL;
    if (from > to || to > arrayOffset) {
      return true;
    }
    if (from == to) {
      return wholeTable(); // otherwise no keys began here; a policy may make empty filters
    }
    int at = (int) from;
    int size = (int) (to - from);
    return bloom
        ? BloomFilter.mayContain(BloomFilter.hash(key, offset, length), block, at, size)
        : matches(key, offset, length, at, size);
  }

  private boolean matches(ByteBuffer key, int offset, int length, int filterOffset, int size) {
    BufferSlice keySlice = new BufferSlice();
    BufferSlice filterSlice = new BufferSlice();
    keySlice.point(key, offset, length);
    filterSlice.point(block, filterOffset, size);
    try {
      return policy.keyMayMatch(keySlice, filterSlice);
    } finally {
      keySlice.revoke();
      filterSlice.revoke();
    }
  }
}
