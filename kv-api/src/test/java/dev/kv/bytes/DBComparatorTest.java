package dev.kv.bytes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DBComparatorTest {
  private static final long SEED = 42;
  private final DBComparator bytewise = DBComparator.bytewise();

  @Test
  void shortestSeparator_knownPairs_isLevelDbs() {
    assertThat(separator("foo", "hello")).isEqualTo("g");
    assertThat(separator("foobar", "foozzz")).isEqualTo("fooc");
    assertThat(separator("foo", "foobar")).isNull();
    assertThat(separator("foobar", "foo")).isNull();
    assertThat(separator("abc1", "abc2")).isNull();
  }

  private String separator(String start, String limit) {
    byte[] shortened = bytewise.shortestSeparator(Slice.of(start), Slice.of(limit));
    return shortened == null ? null : Slice.of(shortened).toUtf8String();
  }

  @Test
  void shortestSeparator_randomPairs_liesBetween() {
    Random random = new Random(SEED);
    for (int i = 0; i < 20_000; i++) {
      byte[] a = new byte[random.nextInt(6)];
      byte[] b = new byte[random.nextInt(6)];
      random.nextBytes(a);
      random.nextBytes(b);
      byte[] start = Arrays.compareUnsigned(a, b) < 0 ? a : b;
      byte[] limit = start == a ? b : a;
      byte[] shortened = bytewise.shortestSeparator(Slice.of(start), Slice.of(limit));
      if (shortened != null) {
        assertThat(Arrays.compareUnsigned(start, shortened)).as("seed %d", SEED).isNotPositive();
        assertThat(Arrays.compareUnsigned(shortened, limit)).as("seed %d", SEED).isNegative();
      }
    }
  }

  @Test
  void shortSuccessor_knownKeys_isLevelDbs() {
    assertThat(bytewise.shortSuccessor(Slice.of("hello"))).containsExactly('i');
    byte[] highest = {(byte) 0xff, (byte) 0xff};
    assertThat(bytewise.shortSuccessor(Slice.of(highest))).isNull();
    byte[] mixed = {(byte) 0xff, 1, 2};
    assertThat(bytewise.shortSuccessor(Slice.of(mixed))).containsExactly(0xff, 2);
  }

  @Test
  void ofArrays_anyOrder_keepsNameAndOrder() {
    DBComparator reverse = DBComparator.ofArrays("test.Reverse", (a, b) -> Arrays.compare(b, a));
    assertThat(reverse.name()).isEqualTo("test.Reverse");
    assertThat(reverse.compare(Slice.of("a"), Slice.of("b"))).isPositive();
    assertThat(reverse.shortestSeparator(Slice.of("b"), Slice.of("a"))).isNull();
  }

  @Test
  void of_anyOrder_comparesWithIt() {
    DBComparator descending = DBComparator.of("test.Descending", Comparator.reverseOrder());
    assertThat(descending.name()).isEqualTo("test.Descending");
    assertThat(descending.compare(Slice.of("a"), Slice.of("b"))).isPositive();
    assertThat(descending.compare(Slice.of("a"), Slice.of("a"))).isZero();
    assertThat(descending.compare(Slice.of("b"), Slice.of("a"))).isNegative();
    assertThat(descending.shortestSeparator(Slice.of("b"), Slice.of("a"))).isNull();
  }
}
