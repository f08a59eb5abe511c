package dev.kv.bytes;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A read-only view of a sequence of bytes, which may be in memory that the library owns.
 *
 * <p>A slice from the library is valid for a limited time: until the method that it was passed to
 * returns (as in {@link dev.kv.DB#read}), or until the next move of its iterator. After that, every
 * method except {@link #toString} throws {@link IllegalStateException}, until the library gives the
 * same object out again: the slices of a cursor or a scan may be one object, which shows the entry
 * that was asked for last. The slice of a cursor throws {@link dev.kv.errors.DBClosedException} if
 * the database was closed. To keep the bytes, copy them with {@link #toByteArray()}.
 *
 * <p>A slice is not thread-safe: only the thread that received it may use it. Use by another thread
 * throws or reads stale bytes; it never reads freed memory.
 *
 * <p>Slices compare by their bytes, as unsigned numbers; two slices are equal if their bytes are.
 */
public abstract class Slice implements Comparable<Slice> {

  /** Creates a slice. For the library alone: programs do not extend this class. */
  protected Slice() {}

  /**
   * Returns a view of an array. It is always valid.
   *
   * @param bytes the array; not copied
   * @return the slice
   */
  public static Slice of(byte[] bytes) {
    Objects.requireNonNull(bytes, "bytes");
    return new ArraySlice(bytes, 0, bytes.length);
  }

  /**
   * Returns the UTF-8 encoding of a text. It is always valid.
   *
   * @param text the text
   * @return the slice
   */
  public static Slice of(String text) {
    Objects.requireNonNull(text, "text");
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Returns a view of the bytes from an index on. It is valid as long as this slice is.
   *
   * @param index the index of the first byte, at most the length
   * @return the view
   * @throws IndexOutOfBoundsException if the index is outside the slice
   */
  public final Slice suffix(int index) {
    return new SuffixSlice(this, Objects.checkIndex(index, length() + 1));
  }

  /**
   * Returns the number of bytes.
   *
   * @return the length in bytes
   */
  public abstract int length();

  /**
   * Returns the byte at an index.
   *
   * @param index the index, from 0
   * @return the byte
   * @throws IndexOutOfBoundsException if the index is outside the slice
   */
  public abstract byte byteAt(int index);

  /**
   * Returns four bytes as an int.
   *
   * @param index the index of the first byte
   * @param order the order of the bytes
   * @return the number
   * @throws IndexOutOfBoundsException if one of the bytes is outside the slice
   */
  public abstract int getInt(int index, ByteOrder order);

  /**
   * Returns eight bytes as a long.
   *
   * @param index the index of the first byte
   * @param order the order of the bytes
   * @return the number
   * @throws IndexOutOfBoundsException if one of the bytes is outside the slice
   */
  public abstract long getLong(int index, ByteOrder order);

  /**
   * Copies bytes into an array.
   *
   * @param index the index of the first byte in this slice
   * @param target the array
   * @param targetOffset the index of the first byte in the array
   * @param count the number of bytes
   * @throws IndexOutOfBoundsException if one of the bytes is outside the slice or the array
   */
  public abstract void copyTo(int index, byte[] target, int targetOffset, int count);

  /**
   * Copies the slice into a buffer at its position, and advances the position by {@link #length}.
   *
   * @param target the buffer, direct or heap
   * @throws java.nio.BufferOverflowException if the buffer has less room
   */
  public abstract void copyTo(ByteBuffer target);

  /**
   * Returns true if the length is 0.
   *
   * @return true if there are no bytes
   */
  public final boolean isEmpty() {
    return length() == 0;
  }

  /**
   * Returns a copy of the bytes.
   *
   * @return a new array, which the caller owns
   */
  public final byte[] toByteArray() {
    byte[] copy = new byte[length()];
    copyTo(0, copy, 0, copy.length);
    return copy;
  }

  /**
   * Decodes the bytes as UTF-8. A malformed sequence becomes U+FFFD.
   *
   * @return the text
   */
  public final String toUtf8String() {
    return new String(toByteArray(), StandardCharsets.UTF_8);
  }

  /**
   * Returns true if this slice begins with the bytes of another.
   *
   * @param prefix the other slice
   * @return true if the first bytes are those of {@code prefix}
   */
  public final boolean startsWith(Slice prefix) {
    Objects.requireNonNull(prefix, "prefix");
    return prefix.length() <= length() && mismatch(prefix) == prefix.length();
  }

  /**
   * Compares the bytes as unsigned numbers. A prefix comes before a longer slice.
   *
   * @param other the slice to compare with
   * @return a negative number, zero or a positive number if this slice is before, equal to or after
   *     the other
   */
  @Override
  public int compareTo(Slice other) {
    Objects.requireNonNull(other, "other");
    int at = mismatch(other);
    return at < length() && at < other.length()
        ? Integer.compare(byteAt(at) & 0xff, other.byteAt(at) & 0xff)
        : Integer.compare(length(), other.length());
  }

  @Override
  public final boolean equals(@Nullable Object other) {
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

  /** Returns the index of the first byte that differs, or the shorter length if there is none. */
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

  /** Returns the bytes as {@link Escape#shown} does, for logs. */
  @Override
  public final String toString() {
    try {
      return "Slice[" + Escape.shown(this) + "]";
    } catch (RuntimeException notValid) {
      return "Slice[after its window]";
    }
  }
}
