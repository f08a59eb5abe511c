package dev.kv.tuple;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.Range;
import dev.kv.bytes.Slice;
import dev.kv.map.Codecs;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TupleTest {
  private static final long SEED = 20_260_101;

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** The test cases of FoundationDB's design/tuple.md. */
  @Test
  void pack_casesOfTheSpecification_areAsPublished() {
    assertThat(hex(Tuples.pack((Object) latin("foo\0bar")))).isEqualTo("01666f6f00ff62617200");
    assertThat(hex(Tuples.pack("F\u00d4O\0bar"))).isEqualTo("0246c3944f00ff62617200");
    assertThat(hex(Tuples.pack((Object) Arrays.asList(latin("foo\0bar"), null, List.of()))))
        .isEqualTo("0501666f6f00ff6261720000ff050000");
    assertThat(hex(Tuples.pack(-5551212))).isEqualTo("11ab4b93");
    assertThat(hex(Tuples.pack(-1))).isEqualTo("13fe");
    assertThat(hex(Tuples.pack(-42f))).isEqualTo("203dd7ffff");
    assertThat(hex(Tuples.pack((Object) List.of()))).isEqualTo("0500");
    assertThat(hex(Tuples.pack((Object) Arrays.asList((Object) null)))).isEqualTo("0500ff00");
    assertThat(hex(Tuples.pack((Object) null, false, true))).isEqualTo("002627");
    assertThat(hex(Tuples.pack(new UUID(0x0102030405060708L, 0x090a0b0c0d0e0f10L))))
        .isEqualTo("300102030405060708090a0b0c0d0e0f10");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 14",
    "1, 1501",
    "255, 15ff",
    "256, 160100",
    "-255, 1300",
    "-256, 12feff",
    "9223372036854775807, 1c7fffffffffffffff",
    "-9223372036854775808, 0c7fffffffffffffff",
    "9223372036854775808, 1c8000000000000000",
    "18446744073709551615, 1cffffffffffffffff",
    "-18446744073709551615, 0c0000000000000000",
    "18446744073709551616, 1d09010000000000000000",
    "-18446744073709551616, 0bf6feffffffffffffffff",
  })
  void integer_ofAnySize_hasTheBytesOfTheSpecification(String decimal, String expected) {
    BigInteger value = new BigInteger(decimal);
    byte[] key = TupleBuilder.create().add(value).toByteArray();
    assertThat(hex(key)).isEqualTo(expected);
    assertThat(TupleReader.of(key).readBigInteger()).isEqualTo(value);
    if (value.bitLength() < Long.SIZE) {
      assertThat(hex(TupleBuilder.create().add(value.longValue()).toByteArray()))
          .isEqualTo(expected);
      assertThat(TupleReader.of(key).readLong()).isEqualTo(value.longValue());
    } else {
      TupleReader reader = TupleReader.of(key);
      assertThatThrownBy(reader::readLong).isInstanceOf(ArithmeticException.class);
      assertThat(reader.readBigInteger()).isEqualTo(value);
    }
  }

  @Test
  void integer_ofMoreThan255Bytes_isRefused() {
    BigInteger largest = BigInteger.ONE.shiftLeft(255 * 8).subtract(BigInteger.ONE);
    for (BigInteger value : List.of(largest, largest.negate())) {
      assertThat(TupleReader.of(Tuples.pack(value)).readBigInteger()).isEqualTo(value);
      BigInteger beyond = value.add(BigInteger.valueOf(value.signum()));
      assertThatThrownBy(() -> Tuples.pack(beyond)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void floatingPoint_sortsInTheTotalOrder() {
    double[] ascending = {
      Double.longBitsToDouble(-1L),
      Double.NEGATIVE_INFINITY,
      -Double.MAX_VALUE,
      -1.5,
      -1,
      -Double.MIN_VALUE,
      -0.0,
      0.0,
      Double.MIN_VALUE,
      1,
      Double.MAX_VALUE,
      Double.POSITIVE_INFINITY,
      Double.NaN
    };
    for (int i = 0; i < ascending.length; i++) {
      byte[] key = Tuples.pack(ascending[i]);
      assertThat(Double.doubleToRawLongBits(TupleReader.of(key).readDouble()))
          .isEqualTo(Double.doubleToRawLongBits(ascending[i]));
      byte[] single = Tuples.pack((float) ascending[i]);
      assertThat(Float.floatToIntBits(TupleReader.of(single).readFloat()))
          .isEqualTo(Float.floatToIntBits((float) ascending[i]));
      if (i > 0) {
        assertThat(Arrays.compareUnsigned(Tuples.pack(ascending[i - 1]), key)).isNegative();
      }
    }
  }

  @Test
  void string_withHalfASurrogatePair_isRefused() {
    assertThatThrownBy(() -> Tuples.pack("\ud800")).isInstanceOf(IllegalArgumentException.class);
    assertThat(Tuples.unpack(Tuples.pack("\ud83d\ude00"))).containsExactly("\ud83d\ude00");
  }

  @Test
  void character_isATextOfOneCharacter() {
    assertThat(hex(TupleBuilder.create().add('a').toByteArray())).isEqualTo("026100");
    assertThat(hex(TupleBuilder.create().add('\0').toByteArray())).isEqualTo("0200ff00");
    assertThat(hex(Tuples.pack('a'))).isEqualTo("026100");
    assertThatThrownBy(() -> TupleBuilder.create().add('\ud800'))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource({"0, 14", "-1, 13fe", "2147483647, 187fffffff", "-2147483648, 107fffffff"})
  void integer_ofEachType_hasTheSameBytes(int value, String expected) {
    assertThat(hex(TupleBuilder.create().add(value).toByteArray())).isEqualTo(expected);
    assertThat(hex(TupleBuilder.create().add((long) value).toByteArray())).isEqualTo(expected);
    assertThat(hex(Tuples.pack(value))).isEqualTo(expected);
  }

  @Test
  void strings_sortByCodePoints() {
    assertThat(Arrays.compareUnsigned(Tuples.pack("\uffff"), Tuples.pack("\ud83d\ude00")))
        .isNegative();
  }

  @Test
  void descending_elements_areReadLikeOthers() {
    byte[] key =
        TupleBuilder.create()
            .add("order")
            .descending()
            .add("a\0b")
            .addNull()
            .descending()
            .addNull()
            .descending()
            .beginTuple()
            .add(7)
            .addNull()
            .descending()
            .add("inner\0")
            .descending()
            .addNull()
            .endTuple()
            .add(-1)
            .toByteArray();
    assertThat(Tuples.unpack(key))
        .containsExactly(
            "order", "a\0b", null, null, Arrays.asList(7L, null, "inner\0", null), -1L);
    TupleReader reader = TupleReader.of(key);
    assertThat(reader.isDescending()).isFalse();
    reader.skip();
    assertThat(reader.isDescending()).isTrue();
    assertThat(reader.nextType()).isEqualTo(TupleType.STRING);
    reader.skip();
    reader.skip();
    reader.skip();
    reader.skip();
    assertThat(reader.readLong()).isEqualTo(-1);
    assertThat(reader.hasNext()).isFalse();
  }

  @Test
  void reader_onAnotherType_throwsAndStays() {
    TupleReader reader = TupleReader.of(Tuples.pack("text"));
    assertThatThrownBy(reader::readLong)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the next element is STRING, not INTEGER");
    assertThat(reader.readString()).isEqualTo("text");
    assertThatThrownBy(reader::readNull).isInstanceOf(NoSuchElementException.class);
    assertThatThrownBy(reader::leaveTuple).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void builder_usedOutOfOrder_isRefused() {
    TupleBuilder builder = TupleBuilder.create();
    assertThatThrownBy(builder::endTuple).isInstanceOf(IllegalStateException.class);
    builder.beginTuple().descending();
    assertThatThrownBy(builder::descending).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(builder::endTuple).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(builder::toByteArray).isInstanceOf(IllegalStateException.class);
    builder.addNull();
    assertThatThrownBy(builder::toByteArray).isInstanceOf(IllegalStateException.class);
    assertThat(builder.clear().add(1).toByteArray()).isEqualTo(Tuples.pack(1));
    assertThatThrownBy(() -> Tuples.pack(new StringBuilder("text")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("StringBuilder");
  }

  @Test
  void tuple_nestedVeryDeep_isSkippedAndNotUnpacked() {
    byte[] deep = new byte[200_001];
    Arrays.fill(deep, 0, 100_000, (byte) 5);
    deep[200_000] = 0x14;
    TupleReader reader = TupleReader.of(deep);
    reader.skip();
    assertThat(reader.readLong()).isZero();
    TupleReader entered = TupleReader.of(deep);
    entered.enterTuple();
    entered.leaveTuple();
    assertThat(entered.readLong()).isZero();
    assertThatThrownBy(() -> Tuples.unpack(deep))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nested 500 times");
  }

  @Test
  void pack_ofWhatUnpackReturns_isTheSameKey() {
    for (List<@Nullable Object> tuple :
        List.of(
            List.<Object>of(),
            List.<Object>of("order", 7L),
            List.<Object>of(List.of()),
            List.<Object>of(List.of("order", 7L)),
            Arrays.<@Nullable Object>asList((Object) null))) {
      byte[] key = Tuples.pack(tuple.toArray());
      assertThat(Tuples.packList(Tuples.unpack(key))).isEqualTo(key);
      assertThat(Tuples.rangeList(Tuples.unpack(key))).isEqualTo(Tuples.range(tuple.toArray()));
    }
  }

  /** The type of the variable does not decide what is stored. */
  @Test
  void pack_ofAList_isATupleOfANestedTuple() {
    List<Object> list = List.of("a", 1L);
    Object object = list;
    assertThat(hex(Tuples.packList(list))).isEqualTo("0261001501");
    assertThat(hex(Tuples.pack(list))).isEqualTo("05026100150100");
    assertThat(Tuples.pack(object)).isEqualTo(Tuples.pack(list));
    assertThat(Tuples.range(list)).isEqualTo(Tuples.range(object));
    assertThat(Tuples.rangeList(list)).isEqualTo(Tuples.range("a", 1L));
  }

  @Test
  void pack_nestedAsDeepAsUnpackRefuses_isRefused() {
    List<Object> tuple = List.of();
    for (int depth = 0; depth < 499; depth++) {
      tuple = List.of(tuple);
    }
    assertThat(Tuples.unpack(Tuples.packList(tuple))).isEqualTo(tuple);
    assertThat(Codecs.tuples().encode(tuple)).isEqualTo(Tuples.packList(tuple));
    for (int depth = 500; depth < 20_000; depth++) {
      tuple = List.of(tuple);
      if (depth == 500 || depth == 19_999) {
        List<Object> deep = tuple;
        assertThatThrownBy(() -> Tuples.pack(deep))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("nested 500 times");
        assertThatThrownBy(() -> Codecs.tuples().encode(deep))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("nested 500 times");
      }
    }
  }

  @Test
  void string_ofBytesThatAreNotUtf8_isRefused() {
    for (String malformed : List.of("02ff00", "02c3284100", "02c08000", "02e28200")) {
      byte[] key = HexFormat.of().parseHex(malformed);
      assertThatThrownBy(() -> TupleReader.of(key).readString())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("not an encoded tuple: a text that is not UTF-8");
    }
    assertThat(TupleReader.of(Tuples.pack("\ufffd")).readString()).isEqualTo("\ufffd");
  }

  /** Bytes that are no tuple end in IllegalArgumentException, and in nothing else. */
  @Test
  void reader_ofRandomBytes_throwsOnlyWhatItSays() {
    Random random = new Random(SEED);
    for (int round = 0; round < 30_000; round++) {
      byte[] bytes = new byte[random.nextInt(12)];
      random.nextBytes(bytes);
      if (random.nextBoolean()) {
        for (int i = 0; i < bytes.length; i++) {
          bytes[i] = (byte) (new int[] {0, 1, 2, 5, 0x0b, 0x14, 0x1d, 0x4d, 0xff})[bytes[i] & 7];
        }
      }
      try {
        Tuples.unpack(bytes);
      } catch (IllegalArgumentException malformed) {
        assertThat(malformed).hasMessageStartingWith("not an encoded tuple");
      }
      TupleReader reader = TupleReader.of(bytes);
      try {
        while (reader.hasNext()) {
          reader.skip();
        }
      } catch (IllegalArgumentException malformed) {
        assertThat(malformed).hasMessageStartingWith("not an encoded tuple");
      }
    }
  }

  /**
   * Random tuples, ascending and descending by position, sort as a comparison of their elements.
   */
  @Test
  void randomTuples_sortAsTheirElementsAndComeBack() {
    Random random = new Random(SEED);
    for (int round = 0; round < 30_000; round++) {
      boolean[] down = {random.nextBoolean(), random.nextBoolean(), random.nextBoolean()};
      List<@Nullable Object> a = randomTuple(random, 0);
      List<@Nullable Object> b = random.nextInt(3) == 0 ? near(a, random) : randomTuple(random, 0);
      byte[] keyA = encode(a, down);
      byte[] keyB = encode(b, down);
      assertThat(Integer.signum(Slice.of(keyA).compareTo(Slice.of(keyB))))
          .as("seed %d, round %d: %s and %s", SEED, round, a, b)
          .isEqualTo(Integer.signum(compare(a, b, down)));
      assertThat(compare(Tuples.unpack(keyA), a, down)).isZero();
    }
  }

  /** Each of these is a prefix, as bytes, of tuples that do not begin with the same elements. */
  @Test
  void range_ofATextBytesOrANestedTuple_hasOnlyTuplesThatBeginWithIt() {
    assertThat(hex(Tuples.pack("a\0"))).startsWith(hex(Tuples.pack("a")));
    assertThat(contains(Tuples.range("a"), Tuples.pack("a\0"))).isFalse();
    assertThat(contains(Tuples.range("a"), Tuples.pack("a\0b"))).isFalse();
    assertThat(contains(Tuples.range("a"), Tuples.pack("a"))).isTrue();
    assertThat(contains(Tuples.range("a"), Tuples.pack("a", null))).isTrue();
    assertThat(contains(Tuples.range("a"), TupleBuilder.create().add("a").descending().add("b")))
        .isTrue();
    assertThat(contains(Tuples.range((Object) latin("a")), Tuples.pack((Object) latin("a\0"))))
        .isFalse();
    assertThat(
            contains(
                Tuples.range((Object) List.of()),
                Tuples.pack((Object) Arrays.asList((Object) null))))
        .isFalse();
    assertThat(contains(Tuples.range(), Tuples.pack(new UUID(-1, -1)))).isTrue();
  }

  @Test
  void range_ofRandomElements_hasTheTuplesThatBeginWithThem() {
    Random random = new Random(SEED);
    int within = 0;
    for (int round = 0; round < 30_000; round++) {
      List<@Nullable Object> first = randomTuple(random, 0);
      List<@Nullable Object> tuple = new ArrayList<>(first);
      if (!tuple.isEmpty() && random.nextBoolean()) {
        tuple.set(tuple.size() - 1, randomElement(random, 0));
      }
      tuple.addAll(randomTuple(random, 0));
      boolean begins = compare(first, tuple.subList(0, first.size()), null) == 0;
      within += begins ? 1 : 0;
      assertThat(contains(Tuples.range(first.toArray()), Tuples.pack(tuple.toArray())))
          .as("seed %d, round %d: %s and %s", SEED, round, first, tuple)
          .isEqualTo(begins);
    }
    assertThat(within).isBetween(10_000, 25_000);
  }

  private static boolean contains(Range range, TupleBuilder tuple) {
    return contains(range, tuple.toByteArray());
  }

  private static boolean contains(Range range, byte[] key) {
    return Arrays.compareUnsigned(range.from(), key) <= 0
        && Arrays.compareUnsigned(key, range.to()) < 0;
  }

  private static byte[] encode(List<@Nullable Object> tuple, boolean[] down) {
    TupleBuilder builder = TupleBuilder.create();
    for (int i = 0; i < tuple.size(); i++) {
      if (down[i]) {
        builder.descending();
      }
      add(builder, tuple.get(i));
    }
    return builder.toByteArray();
  }

  private static void add(TupleBuilder builder, @Nullable Object element) {
    if (element == null) {
      builder.addNull();
    } else if (element instanceof List<?> nested) {
      builder.beginTuple();
      nested.forEach(each -> add(builder, each));
      builder.endTuple();
    } else if (element instanceof byte[] bytes) {
      builder.add(bytes);
    } else if (element instanceof String text) {
      builder.add(text);
    } else if (element instanceof Long integer) {
      builder.add(integer.longValue());
    } else if (element instanceof BigInteger integer) {
      builder.add(integer);
    } else {
      builder.add((Boolean) element);
    }
  }

  private static List<@Nullable Object> near(List<@Nullable Object> tuple, Random random) {
    List<@Nullable Object> near = new ArrayList<>(tuple);
    if (!near.isEmpty() && random.nextBoolean()) {
      near.remove(near.size() - 1);
    } else if (near.size() < 3) {
      near.add(randomElement(random, 0));
    }
    return near;
  }

  private static List<@Nullable Object> randomTuple(Random random, int depth) {
    List<@Nullable Object> tuple = new ArrayList<>();
    for (int left = random.nextInt(4); left > 0; left--) {
      tuple.add(randomElement(random, depth));
    }
    return tuple;
  }

  private static @Nullable Object randomElement(Random random, int depth) {
    return switch (random.nextInt(depth < 2 ? 7 : 6)) {
      case 0 -> null;
      case 1 -> latin(randomText(random));
      case 2 -> randomText(random);
      case 3 -> random.nextLong() >> random.nextInt(64);
      case 4 ->
          new BigInteger(random.nextInt(90), random)
              .multiply(BigInteger.valueOf(random.nextInt(3) - 1));
      case 5 -> random.nextBoolean();
      default -> randomTuple(random, depth + 1);
    };
  }

  private static String randomText(Random random) {
    StringBuilder text = new StringBuilder();
    for (int left = random.nextInt(4); left > 0; left--) {
      text.append("\0\1a\u00fe\u00ff".charAt(random.nextInt(5)));
    }
    return text.toString();
  }

  private static int compare(
      List<@Nullable Object> a, List<@Nullable Object> b, boolean @Nullable [] down) {
    for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
      int order = compareElements(a.get(i), b.get(i));
      if (order != 0) {
        return down != null && down[i] ? -order : order;
      }
    }
    return Integer.compare(a.size(), b.size());
  }

  @SuppressWarnings("unchecked")
  private static int compareElements(@Nullable Object a, @Nullable Object b) {
    Comparator<@Nullable Object> byType = Comparator.comparingInt(TupleTest::rank);
    int order = byType.compare(a, b);
    if (order != 0 || a == null || b == null) {
      return order;
    }
    if (a instanceof byte[] bytes) {
      return Arrays.compareUnsigned(bytes, (byte[]) b);
    }
    if (a instanceof String text) {
      return text.compareTo((String) b); // no surrogates here
    }
    if (a instanceof List<?>) {
      return compare((List<@Nullable Object>) a, (List<@Nullable Object>) b, null);
    }
    if (a instanceof Boolean truth) {
      return truth.compareTo((Boolean) b);
    }
    return new BigInteger(a.toString()).compareTo(new BigInteger(b.toString()));
  }

  private static int rank(@Nullable Object element) {
    if (element == null) {
      return 0;
    }
    if (element instanceof byte[]) {
      return 1;
    }
    if (element instanceof String) {
      return 2;
    }
    if (element instanceof List) {
      return 3;
    }
    return element instanceof Boolean ? 5 : 4;
  }
}
