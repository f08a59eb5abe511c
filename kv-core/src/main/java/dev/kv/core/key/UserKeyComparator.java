package dev.kv.core.key;

import dev.kv.DBComparator;
import dev.kv.Slice;
import dev.kv.core.memory.BufferSlice;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The order of user keys: the program's comparator. The bytewise one compares eight bytes at a time and
 * calls nothing; any other gets slices, which are revoked when it returns.
 */
public final class UserKeyComparator extends KeyComparator {
  private static final int POOL_SIZE = 16;

  private final DBComparator order;
  private final boolean bytewise;
  private final AtomicReferenceArray<@Nullable SlicePair> pool =
      new AtomicReferenceArray<>(POOL_SIZE);

  private record SlicePair(BufferSlice a, BufferSlice b) {}

  /** Creates the order of {@code order}. */
  public UserKeyComparator(DBComparator order) {
    this.order = order;
    this.bytewise = order == DBComparator.bytewise();
  }

  /** Returns true for LevelDB's default order. */
  public boolean isBytewise() {
    return bytewise;
  }

  @Override
  public int compare(
      ByteBuffer a, int aOffset, int aLength, ByteBuffer b, int bOffset, int bLength) {
    return bytewise
        ? compareBytes(a, aOffset, aLength, b, bOffset, bLength)
        : compareSlices(a, aOffset, aLength, b, bOffset, bLength);
  }

  /** Compares bytes as unsigned, a proper prefix first; both buffers are little-endian. */
  public static int compareBytes(
      ByteBuffer a, int aOffset, int aLength, ByteBuffer b, int bOffset, int bLength) {
    int common = Math.min(aLength, bLength);
    int i = 0;
    for (; i + Long.BYTES <= common; i += Long.BYTES) {
      long x = a.getLong(aOffset + i);
      long y = b.getLong(bOffset + i);
      if (x != y) {
        return Long.compareUnsigned(Long.reverseBytes(x), Long.reverseBytes(y));
      }
    }
    for (; i < common; i++) {
      int difference = (a.get(aOffset + i) & 0xff) - (b.get(bOffset + i) & 0xff);
      if (difference != 0) {
        return difference;
      }
    }
    return aLength - bLength;
  }

  private int compareSlices(
      ByteBuffer a, int aOffset, int aLength, ByteBuffer b, int bOffset, int bLength) {
    int home = (int) Thread.currentThread().getId() & (POOL_SIZE - 1);
    SlicePair pair = pool.getAndSet(home, null);
    if (pair == null) {
      pair = new SlicePair(new BufferSlice(), new BufferSlice());
    }
    pair.a.point(a, aOffset, aLength);
    pair.b.point(b, bOffset, bLength);
    try {
      return order.compare(pair.a, pair.b);
    } finally {
      pair.a.revoke();
      pair.b.revoke();
      pool.set(home, pair);
    }
  }

  /** Compares a key in a direct buffer with {@code bLength} bytes of {@code b}. */
  public int compare(ByteBuffer a, int aOffset, int aLength, byte[] b, int bLength) {
    if (!bytewise) {
      ByteBuffer wrapped = ByteBuffer.wrap(b).order(java.nio.ByteOrder.LITTLE_ENDIAN);
      return compareSlices(a, aOffset, aLength, wrapped, 0, bLength);
    }
    int common = Math.min(aLength, bLength);
    for (int i = 0; i < common; i++) {
      int difference = (a.get(aOffset + i) & 0xff) - (b[i] & 0xff);
      if (difference != 0) {
        return difference;
      }
    }
    return aLength - bLength;
  }

  /** Compares two keys on the heap. */
  public int compare(byte[] a, byte[] b) {
    return bytewise ? Arrays.compareUnsigned(a, b) : order.compare(Slice.of(a), Slice.of(b));
  }

  @Override
  public byte[] shortestSeparator(byte[] start, byte[] limit) {
    byte[] shortened = order.shortestSeparator(Slice.of(start), Slice.of(limit));
    return shortened == null ? start : shortened;
  }

  @Override
  public byte[] shortSuccessor(byte[] key) {
    byte[] shortened = order.shortSuccessor(Slice.of(key));
    return shortened == null ? key : shortened;
  }

  @Override
  public String name() {
    return order.name();
  }
}
