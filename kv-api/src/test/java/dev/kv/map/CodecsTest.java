package dev.kv.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.Slice;
import dev.kv.tuple.TupleBuilder;
import dev.kv.tuple.Tuples;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CodecsTest {
  private static final long SEED = 20261122;

  /** A codec and objects to encode with it. */
  private record Sample<K>(String name, KeyCodec<K> codec, List<K> keys) {
    static <K> Sample<K> of(
        String name, KeyCodec<K> codec, List<K> special, Function<Random, K> randomKey) {
      List<K> keys = new ArrayList<>(special);
      Random random = new Random(SEED);
      for (int i = 0; i < 200; i++) {
        keys.add(randomKey.apply(random));
      }
      return new Sample<>(name, codec, keys);
    }

    @Override
    public String toString() {
      return name + ", seed " + SEED;
    }
  }

  private record Person(String name, int born) {}

  static Stream<Sample<?>> codecs() {
    return Stream.of(
        Sample.of(
            "bytes",
            Codecs.bytes(),
            List.of(new byte[0], new byte[] {0}, new byte[] {-1}, new byte[] {-1, 0}),
            CodecsTest::randomBytes),
        Sample.of(
            "utf8",
            Codecs.utf8(),
            List.of("", "\0", "a", "aa", "\ufffd", "\uffff", "\ue000", "\ud800\udc00", "\u7fff"),
            CodecsTest::randomText),
        Sample.of(
            "booleans", Codecs.booleans(), List.of(false, true), random -> random.nextBoolean()),
        Sample.of(
            "ints",
            Codecs.ints(),
            List.of(0, -1, 1, Integer.MIN_VALUE, Integer.MAX_VALUE),
            random -> random.nextInt()),
        Sample.of(
            "longs",
            Codecs.longs(),
            List.of(0L, -1L, 1L, Long.MIN_VALUE, Long.MAX_VALUE),
            random -> random.nextLong()),
        Sample.of(
            "floats",
            Codecs.floats(),
            List.of(
                0f,
                -0f,
                Float.MIN_VALUE,
                -Float.MIN_VALUE,
                Float.NEGATIVE_INFINITY,
                Float.POSITIVE_INFINITY,
                Float.NaN),
            random -> Float.intBitsToFloat(random.nextInt())),
        Sample.of(
            "doubles",
            Codecs.doubles(),
            List.of(
                0d,
                -0d,
                Double.MIN_VALUE,
                -Double.MIN_VALUE,
                Double.NEGATIVE_INFINITY,
                Double.POSITIVE_INFINITY,
                Double.NaN),
            random -> Double.longBitsToDouble(random.nextLong())),
        Sample.of(
            "bigIntegers",
            Codecs.bigIntegers(),
            List.of(BigInteger.ZERO, BigInteger.ONE.negate(), BigInteger.TWO.pow(64)),
            random -> {
              BigInteger size = new BigInteger(random.nextInt(200), random);
              return random.nextBoolean() ? size : size.negate();
            }),
        Sample.of(
            "uuids",
            Codecs.uuids(),
            List.of(new UUID(0, 0), new UUID(-1, -1), new UUID(0, -1), new UUID(-1, 0)),
            random -> new UUID(random.nextLong(), random.nextLong())),
        Sample.of(
            "instants",
            Codecs.instants(),
            List.of(Instant.EPOCH, Instant.MIN, Instant.MAX, Instant.EPOCH.minusNanos(1)),
            random -> Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000))),
        Sample.of(
            "enums",
            Codecs.enums(TimeUnit.class),
            List.of(TimeUnit.values()),
            random -> TimeUnit.values()[random.nextInt(TimeUnit.values().length)]),
        Sample.of(
            "tuples",
            Codecs.tuples(),
            List.of(List.of(), Arrays.asList((Object) null), List.of("a", 1L), List.of("a")),
            random -> List.of(randomText(random), random.nextLong())),
        Sample.of(
            "mapped",
            Codecs.longs().mapped(LocalDate::ofEpochDay, LocalDate::toEpochDay),
            List.of(LocalDate.EPOCH),
            random -> LocalDate.ofEpochDay(random.nextInt())),
        Sample.of(
            "of",
            KeyCodec.<Person>of(
                person -> Tuples.pack(person.name(), person.born()),
                bytes -> {
                  List<?> parts = Tuples.unpack(bytes);
                  return new Person((String) parts.get(0), ((Long) parts.get(1)).intValue());
                }),
            List.of(new Person("", 0)),
            random -> new Person(randomText(random), random.nextInt())));
  }

  private static byte[] randomBytes(Random random) {
    byte[] bytes = new byte[random.nextInt(4)];
    random.nextBytes(bytes);
    return bytes;
  }

  private static String randomText(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(4); i > 0; i--) {
      int point;
      do {
        point = random.nextInt(1 << 2 * (1 + random.nextInt(10))) % 0x110000;
      } while (point >= 0xd800 && point < 0xe000);
      text.appendCodePoint(point);
    }
    return text.toString();
  }

  @ParameterizedTest
  @MethodSource("codecs")
  <K> void key_encodedAndDecoded_isEqual(Sample<K> sample) {
    for (K key : sample.keys()) {
      K decoded = sample.codec().decode(Slice.of(sample.codec().encode(key)));
      assertThat(decoded).isEqualTo(key);
    }
  }

  @ParameterizedTest
  @MethodSource("codecs")
  <K> void order_ofKeys_isThatOfTheirBytes(Sample<K> sample) {
    for (K a : sample.keys()) {
      for (K b : sample.keys()) {
        int ofBytes = Arrays.compareUnsigned(sample.codec().encode(a), sample.codec().encode(b));
        assertThat(Integer.signum(sample.codec().order().compare(a, b)))
            .as("%s and %s", a, b)
            .isEqualTo(Integer.signum(ofBytes));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("codecs")
  void bytes_ofAnotherLength_areRefusedOrRead(Sample<?> sample) {
    Random random = new Random(SEED);
    for (int i = 0; i < 500; i++) {
      byte[] bytes = new byte[random.nextInt(20)];
      random.nextBytes(bytes);
      Object decoded;
      try {
        decoded = sample.codec().decode(Slice.of(bytes));
      } catch (IllegalArgumentException refused) {
        continue;
      } catch (RuntimeException e) { // that is allowed for a function of the program
        assertThat(sample.name()).as("%s for %s", e, Arrays.toString(bytes)).isIn("mapped", "of");
        continue;
      }
      assertThat(decoded).isNotNull();
    }
  }

  @Test
  void bytes_encoded_areCopied() {
    byte[] key = {1};
    byte[] encoded = Codecs.bytes().encode(key);
    key[0] = 2;
    assertThat(encoded).containsExactly(1);
  }

  @Test
  void utf8_order_isNotThatOfStrings() {
    String beyond = "\ud83d\ude00";
    String last = "\uffee";
    assertThat(beyond.compareTo(last)).isNegative();
    assertThat(Codecs.utf8().order().compare(beyond, last)).isPositive();
  }

  @Test
  void utf8_halfOfASurrogatePair_isRefused() {
    for (String half : List.of("\ud800", "a\ud800b", "\udc00", "\udc00\ud800", "\ud800\ud800")) {
      assertThatThrownBy(() -> Codecs.utf8().encode(half))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("surrogate");
    }
  }

  @Test
  void utf8_malformedBytes_areRefused() {
    for (byte[] bytes : new byte[][] {{-1}, {(byte) 0xc0, (byte) 0x80}, {'a', (byte) 0xe2}}) {
      assertThatThrownBy(() -> Codecs.utf8().decode(Slice.of(bytes)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not UTF-8");
    }
  }

  @Test
  void numbers_ofAnotherWidth_areRefused() {
    assertThatThrownBy(() -> Codecs.longs().decode(Slice.of(new byte[4])))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a long has 8 bytes, and this has 4");
    assertThatThrownBy(() -> Codecs.booleans().decode(Slice.of(new byte[] {2})))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Codecs.bigIntegers().decode(Slice.of("x")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void numbers_inBytesThatAreNotWritten_areRefused() {
    byte[] nan = Codecs.floats().encode(Float.NaN);
    nan[3] ^= 1; // another NaN
    assertThatThrownBy(() -> Codecs.floats().decode(Slice.of(nan)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not a float");
    byte[] wide = Codecs.doubles().encode(Double.NaN);
    wide[7] ^= 1;
    assertThatThrownBy(() -> Codecs.doubles().decode(Slice.of(wide)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not a double");
    byte[] descending = TupleBuilder.create().descending().add(7).toByteArray();
    for (byte[] seven : new byte[][] {{0x16, 0, 7}, {0x1d, 1, 7}, descending}) {
      assertThat(Tuples.unpack(seven)).containsExactly(7L);
      assertThatThrownBy(() -> Codecs.bigIntegers().decode(Slice.of(seven)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not an encoded integer");
    }
  }

  @Test
  void tuples_withEqualNaNs_haveTheSameBytes() {
    List<Object> odd =
        List.of(
            Double.longBitsToDouble(0xfff8000000000000L),
            Float.intBitsToFloat(0xffc00000),
            List.of(Double.longBitsToDouble(0x7ff8000000000001L)));
    List<Object> usual = List.of(Double.NaN, Float.NaN, List.of(Double.NaN));
    assertThat(odd).isEqualTo(usual);
    assertThat(Codecs.tuples().encode(odd)).isEqualTo(Codecs.tuples().encode(usual));
  }

  @Test
  void codecs_fromFunctions_refuseNull() {
    assertThatThrownBy(() -> Codec.of(null, Slice::toByteArray))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("encoder");
    assertThatThrownBy(() -> KeyCodec.of(value -> new byte[0], null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("decoder");
    assertThatThrownBy(() -> Codecs.longs().<String>mapped(null, Long::valueOf))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("from");
  }

  @Test
  void tuples_thatContainThemselves_areRefused() {
    List<Object> tuple = new ArrayList<>();
    tuple.add(tuple);
    tuple.add(tuple);
    assertThatThrownBy(() -> Codecs.tuples().encode(new ArrayList<>(tuple)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nested 500 times");
  }
}
