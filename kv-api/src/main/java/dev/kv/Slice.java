package dev.kv;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A read-only view of a run of bytes, which may lie in memory that the library owns.
 *
 * <p>A slice lent by the library has a <em>window</em>: it is readable until the call that lent it
 * returns ({@link DB#read}) or until the next move of the iterator it came from. After its window
 * every method but {@link #toString} throws {@link IllegalStateException}. Whoever wants to keep
 * the bytes copies them with {@link #toByteArray()}.
 *
 * <p>A slice is not thread-safe: it belongs to the thread that it was lent to. Misuse from another
 * thread throws or reads stale bytes; it never reads freed memory.
 *
 * <p>Slices order and equal each other by their bytes, compared as unsigned.
 */
public abstract class Slice implements Comparable<Slice> {

  /** For implementations in the library and in tests. */
  protected Slice() {}

  /** Returns a slice over {@code bytes}, not copied; its window never ends. */
  public static Slice of(byte[] bytes) {
    return new ArraySlice(bytes, 0, bytes.length);
  }

  /** Returns a slice over the UTF-8 encoding of {@code text}; its window never ends. */
  public static Slice of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the number of bytes. */
  public abstract int length();

  /** Returns the byte at {@code index}; {@link IndexOutOfBoundsException} outside the slice. */
  public abstract byte byteAt(int index);

  /** Returns the four bytes from {@code index} on as an int in {@code order}. */
  public abstract int getInt(int index, ByteOrder order);

  /** Returns the eight bytes from {@code index} on as a long in {@code order}. */
  public abstract long getLong(int index, ByteOrder order);

  /**
   * Copies {@code count} bytes from {@code index} on into {@code target} at {@code targetOffset}.
   */
  public abstract void copyTo(int index, byte[] target, int targetOffset, int count);

  /**
   * Copies the whole slice into {@code target} at its position and advances that by {@link
   * #length}; {@link java.nio.BufferOverflowException} where it does not fit.
   */
  public abstract void copyTo(ByteBuffer target);

  /** Returns true if there are no bytes. */
  public final boolean isEmpty() {
    return length() == 0;
  }

  /** Returns a copy of the bytes. */
  public final byte[] toByteArray() {
    byte[] copy = new byte[length()];
    copyTo(0, copy, 0, copy.length);
    return copy;
  }

  /** Returns the bytes decoded as UTF-8. */
  public final String toUtf8String() {
    return new String(toByteArray(), StandardCharsets.UTF_8);
  }

  /** Returns true if this slice begins with all bytes of {@code prefix}. */
  public final boolean startsWith(Slice prefix) {
    return prefix.length() <= length() && mismatch(prefix) == prefix.length();
  }

  /** Compares the bytes as unsigned numbers; a proper prefix comes first. */
  @Override
  public int compareTo(Slice other) {
    int at = mismatch(other);
    return at < length() && at < other.length()
        ? Integer.compare(byteAt(at) & 0xff, other.byteAt(at) & 0xff)
        : Integer.compare(length(), other.length());
  }

  /** Returns true for a slice with the same bytes. */
  @Override
  public final boolean equals(Object other) {
    if (!(other instanceof Slice slice)) {
      return false;
    }
    int length = length();
    return slice.length() == length && mismatch(slice) == length;
  }

  @Override
  public final int hashCode() {
    int hash = 1;
    for (int i = 0; i < length(); i++) {
      hash = 31 * hash + byteAt(i);
    }
    return hash;
  }

  /** Returns the index of the first byte that differs, or the shorter length where none does. */
  private int mismatch(Slice other) {
    int common = Math.min(length(), other.length());
    int i = 0;
    for (; i + Long.BYTES <= common; i += Long.BYTES) {
      long difference = getLong(i, ByteOrder.BIG_ENDIAN) ^ other.getLong(i, ByteOrder.BIG_ENDIAN);
      if (difference != 0) {
        return i + (Long.numberOfLeadingZeros(difference) >>> 3);
      }
    }
    while (i < common && byteAt(i) == other.byteAt(i)) {
      i++;
    }
    return i;
  }

  /** Returns a short description for logs: the length and the first bytes, escaped. */
  @Override
  public String toString() {
    byte[] head = Arrays.copyOf(toByteArray(), Math.min(length(), 32));
    return "Slice["
        + length()
        + " bytes: "
        + Escape.bytes(head)
        + (length() > 32 ? "..." : "")
        + "]";
  }
}
