package dev.kv.tuple;

import dev.kv.bytes.Slice;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.UUID;

/**
 * Reads the elements of an encoded tuple in order, from the slice itself: the key is not copied,
 * and numbers allocate nothing. It reads descending elements like others. Not thread-safe; valid as
 * long as the slice.
 *
 * <pre>{@code
 * TupleReader key = TupleReader.of(cursor.keySlice());
 * key.skip(); // "order"
 * long customer = key.readLong();
 * }</pre>
 *
 * <p>A method that reads one type throws {@link IllegalStateException} if the next element has
 * another, and does not move then. Every method throws {@link NoSuchElementException} at the end of
 * a tuple, and {@link IllegalArgumentException} if the bytes are not an encoded tuple.
 */
public final class TupleReader {
  private final Slice tuple;
  private int position;

  /** 0, or 0xff in a descending element, whose bytes are inverted. */
  private int mask;

  private int depth;

  /** The depths at which a descending nested tuple was entered. */
  private final Deque<Integer> descending = new ArrayDeque<>(0);

  private TupleReader(Slice tuple) {
    this.tuple = tuple;
  }

  /**
   * Creates a reader.
   *
   * @param tuple the encoded tuple; not copied
   * @return a reader at the first element
   */
  public static TupleReader of(Slice tuple) {
    return new TupleReader(Objects.requireNonNull(tuple, "tuple"));
  }

  /**
   * Creates a reader.
   *
   * @param tuple the encoded tuple; not copied
   * @return a reader at the first element
   */
  public static TupleReader of(byte[] tuple) {
    return of(Slice.of(Objects.requireNonNull(tuple, "tuple")));
  }

  /**
   * Returns true if the tuple has another element.
   *
   * @return false at the end of the tuple, or of the nested tuple that was entered last
   */
  public boolean hasNext() {
    if (depth == 0) {
      return position < tuple.length();
    }
    return peek(0) != TypeCode.END || isNestedNull();
  }

  /**
   * Returns true if the next element is descending.
   *
   * @return true if the element was added after {@link TupleBuilder#descending}
   */
  public boolean isDescending() {
    requireNext();
    return peek(0) == TypeCode.DESCENDING;
  }

  /**
   * Returns the type of the next element, and does not move.
   *
   * @return the type
   */
  public TupleType nextType() {
    boolean wrapped = isDescending();
    int code = wrapped ? peek(1) ^ 0xff : peek(0);
    return switch (code) {
      case TypeCode.NULL -> TupleType.NULL;
      case TypeCode.BYTES -> TupleType.BYTES;
      case TypeCode.STRING -> TupleType.STRING;
      case TypeCode.TUPLE -> TupleType.TUPLE;
      case TypeCode.FLOAT -> TupleType.FLOAT;
      case TypeCode.DOUBLE -> TupleType.DOUBLE;
      case TypeCode.FALSE, TypeCode.TRUE -> TupleType.BOOLEAN;
      case TypeCode.UUID -> TupleType.UUID;
      default -> {
        if (code < TypeCode.BIG_NEGATIVE || code > TypeCode.BIG_POSITIVE) {
          throw malformed("type code 0x" + Integer.toHexString(code));
        }
        yield TupleType.INTEGER;
      }
    };
  }

  /**
   * Reads a null.
   *
   * @throws IllegalStateException if the next element is not null
   */
  public void readNull() {
    boolean wrapped = begin(TupleType.NULL);
    next();
    if (!wrapped && depth > 0) {
      next();
    }
    end(wrapped);
  }

  /**
   * Reads a string of bytes.
   *
   * @return a copy, which the caller owns
   * @throws IllegalStateException if the next element has another type
   */
  public byte[] readBytes() {
    boolean wrapped = begin(TupleType.BYTES);
    next();
    byte[] value = unescape();
    end(wrapped);
    return value;
  }

  /**
   * Reads a text.
   *
   * @return the text
   * @throws IllegalStateException if the next element has another type
   */
  public String readString() {
    boolean wrapped = begin(TupleType.STRING);
    next();
    byte[] utf8 = unescape();
    String value = new String(utf8, StandardCharsets.UTF_8);
    // U+FFFD stands for malformed bytes, or for itself
    if (value.indexOf('\ufffd') >= 0
        && !Arrays.equals(value.getBytes(StandardCharsets.UTF_8), utf8)) {
      throw malformed("a text that is not UTF-8");
    }
    end(wrapped);
    return value;
  }

  /**
   * Reads an integer.
   *
   * @return the integer
   * @throws IllegalStateException if the next element has another type
   * @throws ArithmeticException if it is out of the range of a long; {@link #readBigInteger} reads
   *     it
   */
  public long readLong() {
    int from = position;
    int maskBefore = mask;
    boolean wrapped = begin(TupleType.INTEGER);
    int size = next() - TypeCode.ZERO;
    long value = 0;
    if (Math.abs(size) <= Long.BYTES) {
      value = number(Math.abs(size));
      if (size < 0) {
        // One's complement of `-size` bytes; those above are ones.
        value = (size == -Long.BYTES ? value : value | -1L << -8 * size) + 1;
      }
    }
    if (Math.abs(size) > Long.BYTES || Integer.signum(size) != Long.signum(value)) {
      position = from;
      mask = maskBefore;
      throw new ArithmeticException("an integer out of the range of a long");
    }
    end(wrapped);
    return value;
  }

  /**
   * Reads an integer of any size.
   *
   * @return the integer
   * @throws IllegalStateException if the next element has another type
   */
  public BigInteger readBigInteger() {
    boolean wrapped = begin(TupleType.INTEGER);
    int code = next();
    boolean negative = code < TypeCode.ZERO;
    int size = Math.abs(code - TypeCode.ZERO);
    if (size > Long.BYTES) {
      size = negative ? next() ^ 0xff : next();
    }
    byte[] magnitude = new byte[size];
    for (int i = 0; i < size; i++) {
      magnitude[i] = (byte) (negative ? ~next() : next());
    }
    end(wrapped);
    return new BigInteger(size == 0 ? 0 : negative ? -1 : 1, magnitude);
  }

  /**
   * Reads a floating-point number of 32 bits.
   *
   * @return the number
   * @throws IllegalStateException if the next element has another type
   */
  public float readFloat() {
    boolean wrapped = begin(TupleType.FLOAT);
    next();
    int bits = (int) number(Integer.BYTES);
    end(wrapped);
    return Float.intBitsToFloat(bits < 0 ? bits ^ Integer.MIN_VALUE : ~bits);
  }

  /**
   * Reads a floating-point number of 64 bits.
   *
   * @return the number
   * @throws IllegalStateException if the next element has another type
   */
  public double readDouble() {
    boolean wrapped = begin(TupleType.DOUBLE);
    next();
    long bits = number(Long.BYTES);
    end(wrapped);
    return Double.longBitsToDouble(bits < 0 ? bits ^ Long.MIN_VALUE : ~bits);
  }

  /**
   * Reads a truth value.
   *
   * @return the value
   * @throws IllegalStateException if the next element has another type
   */
  public boolean readBoolean() {
    boolean wrapped = begin(TupleType.BOOLEAN);
    boolean value = next() == TypeCode.TRUE;
    end(wrapped);
    return value;
  }

  /**
   * Reads a UUID.
   *
   * @return the UUID
   * @throws IllegalStateException if the next element has another type
   */
  public UUID readUuid() {
    boolean wrapped = begin(TupleType.UUID);
    next();
    long most = number(Long.BYTES);
    UUID value = new UUID(most, number(Long.BYTES));
    end(wrapped);
    return value;
  }

  /**
   * Enters a nested tuple. The next elements are those of the nested tuple.
   *
   * @throws IllegalStateException if the next element is not a nested tuple
   */
  public void enterTuple() {
    boolean wrapped = begin(TupleType.TUPLE);
    next();
    depth++;
    if (wrapped) {
      descending.push(depth);
    }
  }

  /**
   * Leaves the nested tuple that was entered last, and skips what is left of it.
   *
   * @throws IllegalStateException if no nested tuple was entered
   */
  public void leaveTuple() {
    if (depth == 0) {
      throw new IllegalStateException("no nested tuple was entered");
    }
    while (hasNext()) {
      skip();
    }
    next();
    boolean wrapped = !descending.isEmpty() && descending.peek() == depth;
    if (wrapped) {
      descending.pop();
    }
    depth--;
    end(wrapped);
  }

  /** Skips the next element, with all of its elements if it is a nested tuple. */
  public void skip() {
    switch (nextType()) {
      case NULL -> readNull();
      case TUPLE -> skipTuple();
      case BYTES, STRING -> skipEscaped();
      case INTEGER -> skipInteger();
      case FLOAT -> readFloat();
      case DOUBLE -> readDouble();
      case BOOLEAN -> readBoolean();
      case UUID -> readUuid();
    }
  }

  /** Skips a nested tuple without recursion, because the input determines its depth. */
  private void skipTuple() {
    int outer = depth;
    enterTuple();
    while (depth > outer) {
      if (!hasNext()) {
        leaveTuple();
      } else if (nextType() == TupleType.TUPLE) {
        enterTuple();
      } else {
        skip();
      }
    }
  }

  private void skipEscaped() {
    boolean wrapped = unwrap();
    next();
    position += escapedLength() + 1;
    end(wrapped);
  }

  private void skipInteger() {
    boolean wrapped = unwrap();
    int code = next();
    int size = Math.abs(code - TypeCode.ZERO);
    if (size > Long.BYTES) {
      size = code < TypeCode.ZERO ? next() ^ 0xff : next();
    }
    for (int i = 0; i < size; i++) {
      next();
    }
    end(wrapped);
  }

  /** Checks the type of the next element, and moves to its type code. */
  private boolean begin(TupleType type) {
    TupleType found = nextType();
    if (found != type) {
      throw new IllegalStateException("the next element is " + found + ", not " + type);
    }
    return unwrap();
  }

  /** Moves to the type code of the next element; returns true if the element is descending. */
  private boolean unwrap() {
    if (!isDescending()) {
      return false;
    }
    next();
    mask ^= 0xff;
    return true;
  }

  private void end(boolean wrapped) {
    if (wrapped) {
      if (next() != TypeCode.END) {
        throw malformed("a descending element without its end");
      }
      mask ^= 0xff;
    }
  }

  private void requireNext() {
    if (!hasNext()) {
      throw new NoSuchElementException("the tuple has no more elements");
    }
  }

  private boolean isNestedNull() {
    return position + 1 < tuple.length() && peek(1) == TypeCode.ESCAPE;
  }

  private int peek(int ahead) {
    if (position + ahead >= tuple.length()) {
      throw malformed("it ends within an element");
    }
    return tuple.byteAt(position + ahead) & 0xff ^ mask;
  }

  private int next() {
    int b = peek(0);
    position++;
    return b;
  }

  /** Reads a big-endian number of up to 8 bytes. */
  private long number(int size) {
    if (size == Long.BYTES && position + size <= tuple.length()) {
      long value = tuple.getLong(position, ByteOrder.BIG_ENDIAN);
      position += size;
      return mask == 0 ? value : ~value;
    }
    long value = 0;
    for (int i = 0; i < size; i++) {
      value = value << 8 | next();
    }
    return value;
  }

  /** Returns the number of bytes before the end of bytes or a text, with its escapes. */
  private int escapedLength() {
    int at = 0;
    while (peek(at) != TypeCode.END || isEscaped(at)) {
      at += peek(at) == TypeCode.END ? 2 : 1;
    }
    return at;
  }

  private boolean isEscaped(int at) {
    return position + at + 1 < tuple.length() && peek(at + 1) == TypeCode.ESCAPE;
  }

  private byte[] unescape() {
    int size = escapedLength();
    int escapes = 0;
    for (int i = 0; i < size; i++) {
      if (peek(i) == TypeCode.END) {
        escapes++;
        i++; // the escape after it
      }
    }
    byte[] value = new byte[size - escapes];
    if (escapes == 0 && mask == 0) {
      tuple.copyTo(position, value, 0, size);
      position += size + 1;
      return value;
    }
    for (int i = 0; i < value.length; i++) {
      int b = next();
      value[i] = (byte) b;
      if (b == TypeCode.END) {
        next();
      }
    }
    next();
    return value;
  }

  private IllegalArgumentException malformed(String what) {
    return new IllegalArgumentException(
        "not an encoded tuple: " + what + " (offset " + position + " of " + tuple + ")");
  }

  /** Returns the position and the bytes, for logs. */
  @Override
  public String toString() {
    return "TupleReader[at " + position + " of " + tuple + "]";
  }
}
