package dev.kv.map;

import dev.kv.bytes.Slice;
import dev.kv.tuple.TupleBuilder;
import dev.kv.tuple.TupleReader;
import dev.kv.tuple.TupleType;
import dev.kv.tuple.Tuples;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The codecs of common types. All of them are codecs of keys, and can be used for values as well.
 * Numbers have a fixed width, are big-endian, and sort by their value. Every method returns a
 * thread-safe codec.
 *
 * <p>A codec of this class throws {@link IllegalArgumentException} if bytes have the wrong length,
 * or are not what it writes. The codec of {@link #tuples} reads what {@link Tuples#unpack} does.
 */
public final class Codecs {
  private static final KeyCodec<byte[]> BYTES =
      KeyCodec.of(byte[]::clone, Slice::toByteArray, Arrays::compareUnsigned);

  private static final KeyCodec<String> UTF8 =
      KeyCodec.of(Codecs::toUtf8, Codecs::fromUtf8, Codecs::compareCodePoints);

  private static final KeyCodec<Boolean> BOOLEANS =
      KeyCodec.of(
          truth -> new byte[] {(byte) (truth ? 1 : 0)},
          Codecs::toBoolean,
          Comparator.naturalOrder());

  private static final KeyCodec<Integer> INTS =
      KeyCodec.of(
          Codecs::toBytes, bytes -> toInt(bytes, "an int"), Comparator.<Integer>naturalOrder());

  private static final KeyCodec<Long> LONGS =
      KeyCodec.of(
          Codecs::toBytes, bytes -> toLong(bytes, "a long"), Comparator.<Long>naturalOrder());

  private static final KeyCodec<Float> FLOATS =
      KeyCodec.of(
          number -> toBytes(sortable(Float.floatToIntBits(number))),
          Codecs::toFloat,
          Comparator.<Float>naturalOrder());

  private static final KeyCodec<Double> DOUBLES =
      KeyCodec.of(
          number -> toBytes(sortable(Double.doubleToLongBits(number))),
          Codecs::toDouble,
          Comparator.<Double>naturalOrder());

  private static final KeyCodec<BigInteger> BIG_INTEGERS =
      KeyCodec.of(
          number -> TupleBuilder.create().add(number).toByteArray(),
          Codecs::toBigInteger,
          Comparator.<BigInteger>naturalOrder());

  private static final KeyCodec<UUID> UUIDS =
      KeyCodec.of(Codecs::toBytes, Codecs::toUuid, Codecs::compareUuids);

  private static final KeyCodec<Instant> INSTANTS =
      KeyCodec.of(Codecs::toBytes, Codecs::toInstant, Comparator.<Instant>naturalOrder());

  private static final KeyCodec<List<@Nullable Object>> TUPLES =
      KeyCodec.of(tuple -> Tuples.packList(withOneNaN(tuple)), Tuples::unpack);

  private Codecs() {}

  /**
   * Returns the codec of byte arrays, which are stored as they are. Arrays sort as unsigned bytes.
   *
   * @return the codec
   */
  public static KeyCodec<byte[]> bytes() {
    return BYTES;
  }

  /**
   * Returns the codec of texts, which are stored in UTF-8. Texts sort by their code points. That
   * differs from {@link String#compareTo} if one text has a character beyond U+FFFF where the other
   * has one from U+E000 to U+FFFF.
   *
   * <p>It refuses a text that has half of a surrogate pair, and bytes that are not UTF-8, with
   * {@link IllegalArgumentException}.
   *
   * @return the codec
   */
  public static KeyCodec<String> utf8() {
    return UTF8;
  }

  /**
   * Returns the codec of booleans, in one byte. False sorts before true.
   *
   * @return the codec
   */
  public static KeyCodec<Boolean> booleans() {
    return BOOLEANS;
  }

  /**
   * Returns the codec of integers of 32 bits, in four bytes with the sign bit inverted.
   *
   * @return the codec
   */
  public static KeyCodec<Integer> ints() {
    return INTS;
  }

  /**
   * Returns the codec of integers of 64 bits, in eight bytes with the sign bit inverted.
   *
   * @return the codec
   */
  public static KeyCodec<Long> longs() {
    return LONGS;
  }

  /**
   * Returns the codec of floating-point numbers of 32 bits, in four bytes. They sort as {@link
   * Float#compare} does; all NaNs are one.
   *
   * @return the codec
   */
  public static KeyCodec<Float> floats() {
    return FLOATS;
  }

  /**
   * Returns the codec of floating-point numbers of 64 bits, in eight bytes. They sort as {@link
   * Double#compare} does; all NaNs are one.
   *
   * @return the codec
   */
  public static KeyCodec<Double> doubles() {
    return DOUBLES;
  }

  /**
   * Returns the codec of integers of any size up to 255 bytes, as a tuple of one element.
   *
   * @return the codec
   */
  public static KeyCodec<BigInteger> bigIntegers() {
    return BIG_INTEGERS;
  }

  /**
   * Returns the codec of UUIDs, in 16 bytes. They sort by their bytes as unsigned numbers, which is
   * the order of their texts, and not that of {@link UUID#compareTo}.
   *
   * @return the codec
   */
  public static KeyCodec<UUID> uuids() {
    return UUIDS;
  }

  /**
   * Returns the codec of instants, in 12 bytes: the seconds since 1970 and the nanoseconds.
   *
   * @return the codec
   */
  public static KeyCodec<Instant> instants() {
    return INSTANTS;
  }

  /**
   * Returns the codec of the constants of an enum, which are stored by their name and sort by it.
   *
   * @param <E> the enum
   * @param constants the class of the enum
   * @return the codec
   */
  public static <E extends Enum<E>> KeyCodec<E> enums(Class<E> constants) {
    Objects.requireNonNull(constants, "constants");
    return UTF8.mapped(name -> Enum.valueOf(constants, name), Enum::name);
  }

  /**
   * Returns the codec of tuples as lists, see {@link Tuples#packList}. A decoded tuple has each
   * integer as a {@link Long}, or as a {@link BigInteger} if it is out of the range of a long. All
   * NaNs of a type are one.
   *
   * @return the codec
   */
  public static KeyCodec<List<@Nullable Object>> tuples() {
    return TUPLES;
  }

  /**
   * Returns the elements; all NaNs of a type are equal as objects, and have the same bits here. A
   * nested tuple is read when its element is, so that {@link Tuples#packList} limits the depth.
   */
  private static List<@Nullable Object> withOneNaN(List<? extends @Nullable Object> tuple) {
    @Nullable Object[] elements = tuple.toArray();
    return new AbstractList<>() {
      @Override
      public @Nullable Object get(int index) {
        return withOneNaN(elements[index]);
      }

      @Override
      public int size() {
        return elements.length;
      }
    };
  }

  private static @Nullable Object withOneNaN(@Nullable Object element) {
    if (element instanceof Double number && number.isNaN()) {
      return Double.NaN;
    }
    if (element instanceof Float number && number.isNaN()) {
      return Float.NaN;
    }
    return element instanceof List<?> nested ? withOneNaN(nested) : element;
  }

  private static byte[] toUtf8(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isSurrogate(c)) {
        i++;
        if (i == text.length() || !Character.isSurrogatePair(c, text.charAt(i))) {
          throw new IllegalArgumentException("the text has half of a surrogate pair");
        }
      }
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String fromUtf8(Slice bytes) {
    String text = bytes.toUtf8String();
    // U+FFFD stands for malformed bytes, or for itself
    if (text.indexOf('\ufffd') >= 0
        && !Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes.toByteArray())) {
      throw new IllegalArgumentException("not UTF-8: " + bytes);
    }
    return text;
  }

  private static int compareCodePoints(String a, String b) {
    int common = Math.min(a.length(), b.length());
    for (int i = 0; i < common; i++) {
      char x = a.charAt(i);
      char y = b.charAt(i);
      if (x != y) {
        boolean beyond = Character.isSurrogate(x);
        return beyond == Character.isSurrogate(y) ? Character.compare(x, y) : beyond ? 1 : -1;
      }
    }
    return Integer.compare(a.length(), b.length());
  }

  private static boolean toBoolean(Slice bytes) {
    byte truth = sized(bytes, 1, "a boolean").byteAt(0);
    if (truth != 0 && truth != 1) {
      throw new IllegalArgumentException("not a boolean: " + bytes);
    }
    return truth != 0;
  }

  private static BigInteger toBigInteger(Slice bytes) {
    TupleReader reader = TupleReader.of(bytes);
    if (reader.hasNext() && reader.nextType() == TupleType.INTEGER) {
      BigInteger number = reader.readBigInteger();
      // another tuple with this integer, which may have more elements, has other bytes
      if (Slice.of(BIG_INTEGERS.encode(number)).equals(bytes)) {
        return number;
      }
    }
    throw new IllegalArgumentException("not an encoded integer: " + bytes);
  }

  private static float toFloat(Slice bytes) {
    int bits = sortable(toInt(bytes, "a float"));
    float number = Float.intBitsToFloat(bits);
    if (Float.floatToIntBits(number) != bits) {
      throw new IllegalArgumentException("not a float: another NaN: " + bytes);
    }
    return number;
  }

  private static double toDouble(Slice bytes) {
    long bits = sortable(toLong(bytes, "a double"));
    double number = Double.longBitsToDouble(bits);
    if (Double.doubleToLongBits(number) != bits) {
      throw new IllegalArgumentException("not a double: another NaN: " + bytes);
    }
    return number;
  }

  private static byte[] toBytes(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number ^ Integer.MIN_VALUE).array();
  }

  private static int toInt(Slice bytes, String what) {
    return sized(bytes, Integer.BYTES, what).getInt(0, ByteOrder.BIG_ENDIAN) ^ Integer.MIN_VALUE;
  }

  private static byte[] toBytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number ^ Long.MIN_VALUE).array();
  }

  private static long toLong(Slice bytes, String what) {
    return sized(bytes, Long.BYTES, what).getLong(0, ByteOrder.BIG_ENDIAN) ^ Long.MIN_VALUE;
  }

  /** Makes the bits of floating-point numbers sort as integers do, and back. */
  private static int sortable(int bits) {
    return bits < 0 ? bits ^ Integer.MAX_VALUE : bits;
  }

  private static long sortable(long bits) {
    return bits < 0 ? bits ^ Long.MAX_VALUE : bits;
  }

  private static byte[] toBytes(UUID id) {
    return ByteBuffer.allocate(2 * Long.BYTES)
        .putLong(id.getMostSignificantBits())
        .putLong(id.getLeastSignificantBits())
        .array();
  }

  private static UUID toUuid(Slice bytes) {
    Slice id = sized(bytes, 2 * Long.BYTES, "a UUID");
    return new UUID(
        id.getLong(0, ByteOrder.BIG_ENDIAN), id.getLong(Long.BYTES, ByteOrder.BIG_ENDIAN));
  }

  private static int compareUuids(UUID a, UUID b) {
    int most = Long.compareUnsigned(a.getMostSignificantBits(), b.getMostSignificantBits());
    return most != 0
        ? most
        : Long.compareUnsigned(a.getLeastSignificantBits(), b.getLeastSignificantBits());
  }

  private static byte[] toBytes(Instant time) {
    return ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
        .putLong(time.getEpochSecond() ^ Long.MIN_VALUE)
        .putInt(time.getNano())
        .array();
  }

  private static Instant toInstant(Slice bytes) {
    Slice time = sized(bytes, Long.BYTES + Integer.BYTES, "an instant");
    long seconds = time.getLong(0, ByteOrder.BIG_ENDIAN) ^ Long.MIN_VALUE;
    int nanos = time.getInt(Long.BYTES, ByteOrder.BIG_ENDIAN);
    if (seconds < Instant.MIN.getEpochSecond()
        || seconds > Instant.MAX.getEpochSecond()
        || nanos < 0
        || nanos >= 1_000_000_000) {
      throw new IllegalArgumentException("not an instant: " + bytes);
    }
    return Instant.ofEpochSecond(seconds, nanos);
  }

  private static Slice sized(Slice bytes, int length, String what) {
    if (bytes.length() != length) {
      throw new IllegalArgumentException(
          what + " has " + length + " bytes, and this has " + bytes.length() + ": " + bytes);
    }
    return bytes;
  }
}
