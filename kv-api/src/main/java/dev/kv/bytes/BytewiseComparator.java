package dev.kv.bytes;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** LevelDB's default order: bytes compare as unsigned numbers, and a prefix comes first. */
final class BytewiseComparator implements DBComparator {
  static final BytewiseComparator INSTANCE = new BytewiseComparator();

  private BytewiseComparator() {}

  @Override
  public String name() {
    return "leveldb.BytewiseComparator";
  }

  @Override
  public int compare(Slice a, Slice b) {
    return a.compareTo(b);
  }

  /**
   * Ends the key after the first byte that differs, with that byte one higher, if the result is
   * before {@code limit}.
   */
  @Override
  public byte @Nullable [] shortestSeparator(Slice start, Slice limit) {
    int common = Math.min(start.length(), limit.length());
    int at = 0;
    while (at < common && start.byteAt(at) == limit.byteAt(at)) {
      at++;
    }
    if (at == common) {
      return null;
    }
    int b = start.byteAt(at) & 0xff;
    return b < 0xff && b + 1 < (limit.byteAt(at) & 0xff) ? incremented(start, at) : null;
  }

  /** Ends the key after the first byte that is not 0xff, with that byte one higher. */
  @Override
  public byte @Nullable [] shortSuccessor(Slice key) {
    for (int at = 0; at < key.length(); at++) {
      if (key.byteAt(at) != (byte) 0xff) {
        return incremented(key, at);
      }
    }
    return null;
  }

  private static byte[] incremented(Slice key, int at) {
    byte[] shortened = Arrays.copyOf(key.toByteArray(), at + 1);
    shortened[at]++;
    return shortened;
  }

  @Override
  public String toString() {
    return name();
  }
}
