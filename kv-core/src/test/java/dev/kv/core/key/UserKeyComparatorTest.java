package dev.kv.core.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.core.Samples;
import dev.kv.core.Sneaky;
import dev.kv.errors.ComparatorException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class UserKeyComparatorTest {
  /** Orders keys backwards, and answers with what a test tells it to when asked to shorten. */
  private static final class Backwards implements DBComparator {
    private byte @Nullable [] shortened;

    @Override
    public String name() {
      return "test.Backwards";
    }

    @Override
    public int compare(Slice a, Slice b) {
      return b.compareTo(a);
    }

    @Override
    public byte @Nullable [] shortestSeparator(Slice start, Slice limit) {
      return shortened;
    }

    @Override
    public byte @Nullable [] shortSuccessor(Slice key) {
      return shortened;
    }
  }

  private static ByteBuffer direct(byte[] bytes, int offset) {
    return ByteBuffer.allocateDirect(offset + bytes.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(offset, bytes);
  }

  private static byte[] bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return bytes;
  }

  private static int sign(UserKeyComparator order, byte[] a, byte[] b) {
    ByteBuffer x = direct(a, 3);
    ByteBuffer y = direct(b, 1);
    int sign = Integer.signum(order.compare(x, 3, a.length, y, 1, b.length));
    assertThat(Integer.signum(order.compare(x, 3, a.length, b, b.length))).isEqualTo(sign);
    assertThat(Integer.signum(order.compare(a, b))).isEqualTo(sign);
    return sign;
  }

  /** Two keys that share all but one byte, in buffers that end with them. */
  @Test
  void compare_bytewise_isTheOrderOfUnsignedArrays() {
    Random random = new Random(11);
    for (int i = 0; i < 3000; i++) {
      byte[] a = Samples.bytes(random, Samples.upTo(random, 40));
      checkOrder(a, Samples.upTo(random, 40), Samples.upTo(random, 39), (byte) random.nextInt());
    }
  }

  private static void checkOrder(byte[] a, int length, int at, byte other) {
    UserKeyComparator order = new UserKeyComparator(DBComparator.bytewise());
    InternalKeyComparator internal = new InternalKeyComparator(DBComparator.bytewise());
    byte[] b = Arrays.copyOf(a, length);
    if (at < length) {
      b[at] = other;
    }
    int expected = Integer.signum(Arrays.compareUnsigned(a, b));
    assertThat(sign(order, a, b)).isEqualTo(expected);
    assertThat(sign(order, b, a)).isEqualTo(-expected);
    byte[] x = InternalKey.encode(a, 7, ValueKind.VALUE);
    byte[] y = InternalKey.encode(b, 7, ValueKind.VALUE);
    int internally = internal.compareUserKeys(direct(x, 0), 0, x.length, direct(y, 0), 0, y.length);
    assertThat(Integer.signum(internally)).isEqualTo(expected);
    assertThat(Integer.signum(internal.compareUserKeys(x, y))).isEqualTo(expected);
    assertThat(Integer.signum(internal.compareUserKeys(direct(x, 0), 0, x.length, y)))
        .isEqualTo(expected);
    assertThat(Integer.signum(internal.compare(x, y))).isEqualTo(expected);
  }

  @Test
  void compare_programsOrder_decides() {
    UserKeyComparator order = new UserKeyComparator(new Backwards());
    assertThat(order.isBytewise()).isFalse();
    assertThat(order.name()).isEqualTo("test.Backwards");
    assertThat(sign(order, bytes(1), bytes(2))).isEqualTo(1);
    assertThat(sign(order, bytes(1, 2), bytes(1))).isEqualTo(-1);
    assertThat(sign(order, bytes(), bytes())).isZero();
  }

  @Test
  void compare_slicesKept_areRevokedEvenAfterAThrow() {
    List<Slice> kept = new ArrayList<>();
    UserKeyComparator order =
        new UserKeyComparator(
            new DBComparator() {
              @Override
              public String name() {
                return "test.Keeps";
              }

              @Override
              public int compare(Slice a, Slice b) {
                kept.add(a);
                kept.add(b);
                throw new IllegalStateException("thrown by the program");
              }
            });
    ByteBuffer key = direct(bytes(1), 0);
    assertThatThrownBy(() -> order.compare(key, 0, 1, key, 0, 1)).hasMessageContaining("program");
    assertThat(kept).hasSize(2);
    for (Slice slice : kept) {
      assertThatThrownBy(() -> slice.byteAt(0)).hasMessageContaining("window");
    }
  }

  /** A comparator that compares other keys while it is called: each depth has slices of its own. */
  @Test
  void compare_reentered_keepsTheOuterSlices() {
    UserKeyComparator[] self = new UserKeyComparator[1];
    ByteBuffer one = direct(bytes(1), 0);
    ByteBuffer two = direct(bytes(2), 0);
    ByteBuffer keys = direct(bytes(50, 60), 0);
    self[0] =
        new UserKeyComparator(
            new DBComparator() {
              @Override
              public String name() {
                return "test.Reenters";
              }

              @Override
              public int compare(Slice a, Slice b) {
                if (a.byteAt(0) >= 50) {
                  assertThat(self[0].compare(one, 0, 1, two, 0, 1)).isNegative();
                  assertThat(self[0].compare(two, 0, 1, one, 0, 1)).isPositive();
                }
                return Byte.compare(a.byteAt(0), b.byteAt(0));
              }
            });
    assertThat(self[0].compare(keys, 0, 1, keys, 1, 1)).isNegative();
    assertThat(self[0].compare(keys, 1, 1, keys, 0, 1)).isPositive();
  }

  @Test
  void compare_manyThreads_doNotMeet() throws Exception {
    UserKeyComparator order = new UserKeyComparator(new Backwards());
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<Integer>> results = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        byte first = (byte) t;
        results.add(threads.submit(() -> wrongAnswers(order, first)));
      }
      for (Future<Integer> result : results) {
        assertThat(result.get()).isZero();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static int wrongAnswers(UserKeyComparator order, byte first) {
    ByteBuffer keys = direct(bytes(first, 1, first, 2), 0);
    int wrong = 0;
    for (int i = 0; i < 20_000; i++) {
      wrong += order.compare(keys, 0, 2, keys, 2, 2) > 0 ? 0 : 1;
      wrong += order.compare(keys, 2, 2, keys, 0, 2) < 0 ? 0 : 1;
    }
    return wrong;
  }

  @Test
  void shortening_answersOutOfOrder_areNotTaken() {
    Backwards backwards = new Backwards();
    UserKeyComparator order = new UserKeyComparator(backwards);
    byte[] start = bytes(9, 9);
    byte[] limit = bytes(5, 5);
    assertThat(order.shortestSeparator(start, limit)).isSameAs(start);
    backwards.shortened = bytes(7);
    assertThat(order.shortestSeparator(start, limit)).containsExactly(7);
    assertThat(order.shortSuccessor(start)).containsExactly(7);
    backwards.shortened = bytes(5, 5);
    assertThat(order.shortestSeparator(start, limit)).as("at the limit").isSameAs(start);
    backwards.shortened = bytes(200);
    assertThat(order.shortestSeparator(start, limit)).as("before the start").isSameAs(start);
    assertThat(order.shortSuccessor(start)).as("before the key").isSameAs(start);
  }

  /** The number of a key orders it among those that have the common bytes, and beside them. */
  @Test
  void prefixAfter_ofRandomKeys_ordersThemAsTheirBytes() {
    Random random = new Random(11);
    for (int i = 0; i < 20_000; i++) {
      byte[] common = few(random, 4);
      byte[] a = key(random, common);
      byte[] b = key(random, common);
      long x = numberOf(a, common, random);
      long y = numberOf(b, common, random);
      int order = Integer.signum(Arrays.compareUnsigned(a, b));
      assertThat(Long.compare(x, y)).isIn(order, 0);
      if (a.length >= common.length
          && Arrays.equals(a, 0, common.length, common, 0, common.length)) {
        long rest = UserKeyComparator.prefix(direct(a, 0), common.length, a.length - common.length);
        assertThat(x).isEqualTo(rest);
      } else {
        boolean before = Arrays.compareUnsigned(a, common) < 0;
        assertThat(x).isEqualTo(before ? Long.MIN_VALUE : Long.MAX_VALUE);
      }
    }
  }

  private static long numberOf(byte[] key, byte[] common, Random random) {
    int at = random.nextInt(3);
    return UserKeyComparator.prefixAfter(
        direct(common, at), at, common.length, direct(key, 5), 5, key.length);
  }

  private static byte[] key(Random random, byte[] common) {
    byte[] rest = few(random, 6);
    byte[] key = Arrays.copyOf(common, common.length + rest.length);
    System.arraycopy(rest, 0, key, common.length, rest.length);
    return random.nextBoolean() ? key : few(random, 6);
  }

  private static byte[] few(Random random, int most) {
    byte[] bytes = new byte[random.nextInt(most + 1)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (random.nextInt(3) * 100);
    }
    return bytes;
  }

  /** Comparators in Kotlin and Scala may throw checked exceptions. */
  @Test
  void compare_checkedException_isComparatorException() {
    UserKeyComparator order =
        new UserKeyComparator(
            DBComparator.ofArrays(
                "test.Checked",
                (a, b) -> {
                  throw Sneaky.unchecked(new IOException("disk"));
                }));
    assertThatThrownBy(() -> order.compare(bytes(1), 1, bytes(2), 1))
        .isInstanceOf(ComparatorException.class)
        .hasRootCauseInstanceOf(IOException.class);
  }
}
