package dev.kv.core.key;

import dev.kv.bytes.DBComparator;
import dev.kv.core.memory.BufferSlice;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The slices that one thread passes to a program's comparator: one pair for each depth of
 * recursion. A comparator may read from a database, which calls a comparator again.
 */
final class BorrowedSlices {
  private record Pair(BufferSlice a, BufferSlice b) {}

  private final List<Pair> pairs = new ArrayList<>(1);
  private int depth;

  /** Compares two runs of bytes. The comparator's slices are revoked when it returns. */
  int compare(
      DBComparator order,
      ByteBuffer a,
      int aOffset,
      int aLength,
      ByteBuffer b,
      int bOffset,
      int bLength) {
    if (depth == pairs.size()) {
      pairs.add(new Pair(new BufferSlice(), new BufferSlice()));
    }
    Pair pair = pairs.get(depth++);
    try {
      pair.a.point(a, aOffset, aLength);
      pair.b.point(b, bOffset, bLength);
      return order.compare(pair.a, pair.b);
    } catch (Throwable e) {
      throw UserKeyComparator.failed(order, e);
    } finally {
      pair.a.revoke();
      pair.b.revoke();
      depth--;
    }
  }
}
