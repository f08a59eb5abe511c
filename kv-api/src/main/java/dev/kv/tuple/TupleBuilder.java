package dev.kv.tuple;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Objects;
import java.util.UUID;

/**
 * Encodes the elements of a tuple, in order, into a key. Two keys compare (as unsigned bytes) as
 * their first different elements do, and a tuple sorts before those that begin with it. Not
 * thread-safe; reusable after {@link #clear}.
 *
 * <pre>{@code
 * byte[] key =
 *     TupleBuilder.create().add("order").add(customer).descending().add(time).toByteArray();
 * }</pre>
 *
 * <p>The encoding:
 *
 * <pre>
 * tuple      := element*
 * element    := null | bytes | string | nested | integer | float | double | boolean | uuid |
 *               descending
 * null       := 00                            (in a nested tuple: 00 ff)
 * bytes      := 01 escaped 00                 (escaped: each byte 00 is followed by ff)
 * string     := 02 escaped 00                 (UTF-8)
 * nested     := 05 element* 00
 * integer    := 14                            (zero)
 *             | 14 + n, n bytes               (positive, n from 1 to 8, big-endian)
 *             | 14 - n, n bytes               (negative, n from 1 to 8, one's complement)
 *             | 1d n, n bytes                 (positive, n from 9 to 255)
 *             | 0b ~n, n bytes                (negative, n from 9 to 255, one's complement)
 * float      := 20, 4 bytes; double := 21, 8 bytes
 *               (IEEE 754, big-endian; all bits inverted if negative, else only the sign)
 * boolean    := 26 (false) | 27 (true)
 * uuid       := 30, 16 bytes
 * descending := 4d ~element ff                (all bytes of the element inverted; null is 00)
 * </pre>
 *
 * All except the last are those of FoundationDB's tuple layer, version 1 of its specification.
 */
public final class TupleBuilder {
  private static final int FIRST_CAPACITY = 64;
  private static final int LARGEST_INTEGER = 255;

  private byte[] bytes = new byte[FIRST_CAPACITY];
  private int length;
  private boolean descending;

  /** The starts of the open nested tuples, or -1 for those that are not descending. */
  private final Deque<Integer> open = new ArrayDeque<>();

  private TupleBuilder() {}

  /**
   * Creates a builder of an empty tuple.
   *
   * @return a new builder
   */
  public static TupleBuilder create() {
    return new TupleBuilder();
  }

  /**
   * Makes the next element descending: keys sort by it in reverse. Use it at the same position of
   * all keys. If the next element is a nested tuple, all of its elements sort in reverse.
   *
   * @return this builder
   * @throws IllegalStateException if the next element is descending already
   */
  public TupleBuilder descending() {
    if (descending) {
      throw new IllegalStateException("the next element is descending already");
    }
    descending = true;
    return this;
  }

  /**
   * Adds a null. It sorts before every other element.
   *
   * @return this builder
   */
  public TupleBuilder addNull() {
    boolean wrapped = descending;
    int start = begin();
    append(TypeCode.NULL);
    if (!wrapped && !open.isEmpty()) {
      append(TypeCode.ESCAPE);
    }
    return end(start);
  }

  /**
   * Adds a string of bytes.
   *
   * @param value the bytes; copied
   * @return this builder
   */
  public TupleBuilder add(byte[] value) {
    Objects.requireNonNull(value, "value");
    int start = begin();
    append(TypeCode.BYTES);
    appendEscaped(value);
    return end(start);
  }

  /**
   * Adds a text. Texts sort by their code points, which is not always the order of {@link
   * String#compareTo}.
   *
   * @param value the text
   * @return this builder
   * @throws IllegalArgumentException if the text has half of a surrogate pair
   */
  public TupleBuilder add(String value) {
    byte[] utf8 = utf8(Objects.requireNonNull(value, "value"));
    int start = begin();
    append(TypeCode.STRING);
    appendEscaped(utf8);
    return end(start);
  }

  /**
   * Adds a text of one character.
   *
   * @param value the character
   * @return this builder
   * @throws IllegalArgumentException if the character is half of a surrogate pair
   */
  public TupleBuilder add(char value) {
    return add(String.valueOf(value));
  }

  private static byte[] utf8(String value) {
    try {
      ByteBuffer encoded =
          StandardCharsets.UTF_8
              .newEncoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .encode(java.nio.CharBuffer.wrap(value));
      byte[] utf8 = new byte[encoded.remaining()];
      encoded.get(utf8);
      return utf8;
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("the text has half of a surrogate pair", e);
    }
  }

  /**
   * Adds an integer. Integers sort by their value, also if different methods added them.
   *
   * @param value the integer
   * @return this builder
   */
  public TupleBuilder add(int value) {
    return add((long) value);
  }

  /**
   * Adds an integer. Integers sort by their value, also if different methods added them.
   *
   * @param value the integer
   * @return this builder
   */
  public TupleBuilder add(long value) {
    int start = begin();
    int size = (Long.SIZE - Long.numberOfLeadingZeros(magnitude(value)) + 7) / 8;
    append(value < 0 ? TypeCode.ZERO - size : TypeCode.ZERO + size);
    appendBigEndian(value < 0 ? ~magnitude(value) : value, size);
    return end(start);
  }

  /** Returns the absolute value, as an unsigned number. */
  private static long magnitude(long value) {
    return value < 0 ? -value : value;
  }

  /**
   * Adds an integer. Integers sort by their value, also if different methods added them.
   *
   * @param value the integer
   * @return this builder
   * @throws IllegalArgumentException if the integer needs more than 255 bytes
   */
  public TupleBuilder add(BigInteger value) {
    Objects.requireNonNull(value, "value");
    int size = (value.abs().bitLength() + 7) / 8;
    if (size > LARGEST_INTEGER) {
      throw new IllegalArgumentException(
          "an integer of " + size + " bytes, must be at most " + LARGEST_INTEGER);
    }
    int start = begin();
    boolean negative = value.signum() < 0;
    if (size <= Long.BYTES) {
      append(negative ? TypeCode.ZERO - size : TypeCode.ZERO + size);
    } else {
      append(negative ? TypeCode.BIG_NEGATIVE : TypeCode.BIG_POSITIVE);
      append(negative ? ~size : size);
    }
    // One's complement: value - 1 has the bits of ~magnitude in two's complement.
    byte[] complement = (negative ? value.subtract(BigInteger.ONE) : value).toByteArray();
    for (int i = 0; i < size; i++) {
      int at = complement.length - size + i;
      append(at >= 0 ? complement[at] : 0xff);
    }
    return end(start);
  }

  /**
   * Adds a floating-point number of 32 bits. They sort as {@link Float#compare} does, except that a
   * NaN keeps its bits and its sign.
   *
   * @param value the number
   * @return this builder
   */
  public TupleBuilder add(float value) {
    int start = begin();
    append(TypeCode.FLOAT);
    int bits = Float.floatToRawIntBits(value);
    appendBigEndian(bits < 0 ? ~bits : bits ^ Integer.MIN_VALUE, Integer.BYTES);
    return end(start);
  }

  /**
   * Adds a floating-point number of 64 bits. They sort as {@link Double#compare} does, except that
   * a NaN keeps its bits and its sign.
   *
   * @param value the number
   * @return this builder
   */
  public TupleBuilder add(double value) {
    int start = begin();
    append(TypeCode.DOUBLE);
    long bits = Double.doubleToRawLongBits(value);
    appendBigEndian(bits < 0 ? ~bits : bits ^ Long.MIN_VALUE, Long.BYTES);
    return end(start);
  }

  /**
   * Adds a truth value. False sorts before true.
   *
   * @param value the value
   * @return this builder
   */
  public TupleBuilder add(boolean value) {
    int start = begin();
    append(value ? TypeCode.TRUE : TypeCode.FALSE);
    return end(start);
  }

  /**
   * Adds a UUID. They sort by their 16 bytes as unsigned numbers, which is not the order of {@link
   * UUID#compareTo}.
   *
   * @param value the UUID
   * @return this builder
   */
  public TupleBuilder add(UUID value) {
    Objects.requireNonNull(value, "value");
    int start = begin();
    append(TypeCode.UUID);
    appendBigEndian(value.getMostSignificantBits(), Long.BYTES);
    appendBigEndian(value.getLeastSignificantBits(), Long.BYTES);
    return end(start);
  }

  /**
   * Begins a nested tuple. The next elements are part of it, until {@link #endTuple}.
   *
   * @return this builder
   */
  public TupleBuilder beginTuple() {
    int start = begin();
    append(TypeCode.TUPLE);
    open.push(start);
    return this;
  }

  /**
   * Ends the nested tuple that was begun last.
   *
   * @return this builder
   * @throws IllegalStateException if no nested tuple is open, or after {@link #descending}
   */
  public TupleBuilder endTuple() {
    if (open.isEmpty()) {
      throw new IllegalStateException("no nested tuple is open");
    }
    requireNoPending();
    append(TypeCode.END);
    return end(open.pop());
  }

  /**
   * Returns the encoded tuple. As a prefix of a scan ({@link dev.kv.ReadOptions#prefix()}), it
   * selects the keys that begin with these elements, if the last of them is descending, or is not a
   * text, bytes or a nested tuple. Otherwise the scan can show other keys as well: the text "a" is
   * a prefix of the text "a\0". {@link Tuples#range} has bounds that are right for all elements.
   *
   * @return a new array, which the caller owns
   * @throws IllegalStateException if a nested tuple is open, or after {@link #descending}
   */
  public byte[] toByteArray() {
    requireNoPending();
    if (!open.isEmpty()) {
      throw new IllegalStateException("a nested tuple is open");
    }
    return Arrays.copyOf(bytes, length);
  }

  /**
   * Removes all elements. The memory is kept for reuse.
   *
   * @return this builder
   */
  public TupleBuilder clear() {
    length = 0;
    descending = false;
    open.clear();
    return this;
  }

  private void requireNoPending() {
    if (descending) {
      throw new IllegalStateException("descending() needs an element after it");
    }
  }

  /** Returns the start of a descending element, or -1 for one that is not. */
  private int begin() {
    if (!descending) {
      return -1;
    }
    descending = false;
    append(TypeCode.DESCENDING);
    return length;
  }

  private TupleBuilder end(int start) {
    if (start >= 0) {
      for (int i = start; i < length; i++) {
        bytes[i] = (byte) ~bytes[i];
      }
      append(0xff);
    }
    return this;
  }

  private void appendEscaped(byte[] value) {
    reserve(value.length);
    for (byte b : value) {
      append(b);
      if (b == 0) {
        append(TypeCode.ESCAPE);
      }
    }
    append(TypeCode.END);
  }

  private void appendBigEndian(long value, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
      append((int) (value >>> shift));
    }
  }

  private void append(int b) {
    reserve(1);
    bytes[length++] = (byte) b;
  }

  private void reserve(int more) {
    int needed = Math.addExact(length, more);
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(needed, (int) Math.min(2L * bytes.length, 1 << 30)));
    }
  }

  /** Returns the number of bytes so far, for logs. */
  @Override
  public String toString() {
    return "TupleBuilder[" + length + " bytes]";
  }
}
