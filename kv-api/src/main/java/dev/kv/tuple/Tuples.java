package dev.kv.tuple;

import dev.kv.bytes.Range;
import dev.kv.bytes.Slice;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes tuples as lists of objects. {@link TupleBuilder} and {@link TupleReader} do
 * the same without boxing. Thread-safe.
 */
public final class Tuples {
  /** The depth of nested tuples is less than this. */
  private static final int DEPTH_LIMIT = 500;

  private Tuples() {}

  /**
   * Encodes a tuple. An element is null, a {@code byte[]}, {@link String}, {@link Character} (a
   * text), {@link Long}, {@link Integer}, {@link Short}, {@link Byte}, {@link BigInteger}, {@link
   * Float}, {@link Double}, {@link Boolean}, {@link UUID}, or a {@link List} of elements, which is
   * a nested tuple. Tuples may be nested in each other less than 500 times.
   *
   * @param elements the elements
   * @return the encoded tuple
   * @throws IllegalArgumentException if an element has another class, or tuples are nested deeper
   */
  public static byte[] pack(@Nullable Object... elements) {
    return packList(Arrays.asList(Objects.requireNonNull(elements, "elements")));
  }

  /**
   * Encodes the elements of a list, such as one of {@link #unpack(byte[])}, as a tuple. {@code
   * pack(list)} is another tuple: its only element is the list, as a nested tuple.
   *
   * @param elements the elements, as those of {@link #pack(Object...)}
   * @return the encoded tuple
   * @throws IllegalArgumentException if an element has another class, or tuples are nested deeper
   */
  public static byte[] packList(List<? extends @Nullable Object> elements) {
    TupleBuilder builder = TupleBuilder.create();
    addAll(builder, Objects.requireNonNull(elements, "elements"), 0);
    return builder.toByteArray();
  }

  /**
   * Returns the range of the tuples that begin with some elements, including the tuple of these
   * elements alone. Its keys are bounds of {@link dev.kv.ReadOptions} and of {@link
   * dev.kv.DBWriter#deleteRange}.
   *
   * <p>{@link #pack(Object...)} as a prefix selects the same keys only if the last element marks
   * its own end: the text "a" is encoded as 02 61 00, which is also how "a\0" begins, encoded as 02
   * 61 00 ff 00. The same is true of bytes and nested tuples.
   *
   * @param elements the first elements; none for all tuples
   * @return the range, from the encoded tuple to the encoded tuple followed by ff
   * @throws IllegalArgumentException if an element has a class that {@link #pack(Object...)} does
   *     not take
   */
  public static Range range(@Nullable Object... elements) {
    return rangeList(Arrays.asList(Objects.requireNonNull(elements, "elements")));
  }

  /**
   * Returns the range of the tuples that begin with the elements of a list.
   *
   * @param elements the first elements; none for all tuples
   * @return the range, from the encoded tuple to the encoded tuple followed by ff
   * @throws IllegalArgumentException if an element has a class that {@link #pack(Object...)} does
   *     not take
   * @see #range(Object...)
   */
  public static Range rangeList(List<? extends @Nullable Object> elements) {
    byte[] from = packList(elements);
    byte[] to = Arrays.copyOf(from, from.length + 1);
    to[from.length] = (byte) 0xff;
    return new Range(from, to);
  }

  private static void addAll(TupleBuilder builder, List<?> elements, int depth) {
    if (depth == DEPTH_LIMIT) {
      throw new IllegalArgumentException("nested " + depth + " times, write it with TupleBuilder");
    }
    for (Object element : elements) {
      add(builder, element, depth);
    }
  }

  private static void add(TupleBuilder builder, @Nullable Object element, int depth) {
    if (element == null) {
      builder.addNull();
    } else if (element instanceof byte[] bytes) {
      builder.add(bytes);
    } else if (element instanceof String text) {
      builder.add(text);
    } else if (element instanceof Character character) {
      builder.add(character.charValue());
    } else if (element instanceof Long
        || element instanceof Integer
        || element instanceof Short
        || element instanceof Byte) {
      builder.add(((Number) element).longValue());
    } else if (element instanceof BigInteger integer) {
      builder.add(integer);
    } else if (element instanceof Float number) {
      builder.add(number.floatValue());
    } else if (element instanceof Double number) {
      builder.add(number.doubleValue());
    } else if (element instanceof Boolean truth) {
      builder.add(truth.booleanValue());
    } else if (element instanceof UUID uuid) {
      builder.add(uuid);
    } else if (element instanceof List<?> nested) {
      builder.beginTuple();
      addAll(builder, nested, depth + 1);
      builder.endTuple();
    } else {
      throw new IllegalArgumentException("not an element of a tuple: " + element.getClass());
    }
  }

  /**
   * Decodes a tuple. Integers are {@link Long}, or {@link BigInteger} if they are out of its range;
   * a nested tuple is a {@link List}. Descending elements are like others. Tuples may be nested in
   * each other less than 500 times.
   *
   * @param tuple the encoded tuple
   * @return the elements, in an unmodifiable list
   * @throws IllegalArgumentException if the bytes are not an encoded tuple
   */
  public static List<@Nullable Object> unpack(Slice tuple) {
    return elements(TupleReader.of(tuple), 0);
  }

  /**
   * Decodes a tuple.
   *
   * @param tuple the encoded tuple
   * @return the elements, in an unmodifiable list
   * @throws IllegalArgumentException if the bytes are not an encoded tuple
   * @see #unpack(Slice)
   */
  public static List<@Nullable Object> unpack(byte[] tuple) {
    return elements(TupleReader.of(tuple), 0);
  }

  private static List<@Nullable Object> elements(TupleReader reader, int depth) {
    if (depth == DEPTH_LIMIT) {
      throw new IllegalArgumentException(
          "not an encoded tuple: nested " + depth + " times, read it with TupleReader");
    }
    List<@Nullable Object> elements = new ArrayList<>();
    while (reader.hasNext()) {
      elements.add(element(reader, depth));
    }
    return Collections.unmodifiableList(elements);
  }

  private static @Nullable Object element(TupleReader reader, int depth) {
    switch (reader.nextType()) {
      case NULL -> {
        reader.readNull();
        return null;
      }
      case TUPLE -> {
        reader.enterTuple();
        List<@Nullable Object> nested = elements(reader, depth + 1);
        reader.leaveTuple();
        return nested;
      }
      case BYTES -> {
        return reader.readBytes();
      }
      case STRING -> {
        return reader.readString();
      }
      case INTEGER -> {
        BigInteger value = reader.readBigInteger();
        return value.bitLength() < Long.SIZE ? (Object) value.longValue() : value;
      }
      case FLOAT -> {
        return reader.readFloat();
      }
      case DOUBLE -> {
        return reader.readDouble();
      }
      case BOOLEAN -> {
        return reader.readBoolean();
      }
      case UUID -> {
        return reader.readUuid();
      }
      default -> throw new AssertionError(reader);
    }
  }
}
