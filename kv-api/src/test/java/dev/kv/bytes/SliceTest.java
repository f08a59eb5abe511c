package dev.kv.bytes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SliceTest {
  private static final long SEED = 20260101;

  @Test
  void compareTo_randomPairs_agreesWithUnsignedArrays() {
    Random random = new Random(SEED);
    for (int i = 0; i < 20_000; i++) {
      byte[] a = randomBytes(random);
      byte[] b =
          random.nextInt(4) == 0 ? Arrays.copyOf(a, random.nextInt(20)) : randomBytes(random);
      Slice left = Slice.of(a);
      Slice right = Slice.of(b);
      assertThat(Integer.signum(left.compareTo(right)))
          .as("seed %d, round %d", SEED, i)
          .isEqualTo(Integer.signum(Arrays.compareUnsigned(a, b)));
      assertThat(left.equals(right)).isEqualTo(Arrays.equals(a, b));
      boolean prefix = b.length <= a.length && Arrays.equals(Arrays.copyOf(a, b.length), b);
      assertThat(left.startsWith(right)).isEqualTo(prefix);
    }
  }

  private static byte[] randomBytes(Random random) {
    byte[] bytes = new byte[random.nextInt(20)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (random.nextBoolean() ? 0 : random.nextInt());
    }
    return bytes;
  }

  @Test
  void getIntAndGetLong_bothOrders_readTheBytes() {
    Slice slice = Slice.of(new byte[] {0, 1, 2, 3, 4, 5, 6, 7, (byte) 0xff});
    assertThat(slice.getInt(1, ByteOrder.BIG_ENDIAN)).isEqualTo(0x01020304);
    assertThat(slice.getInt(1, ByteOrder.LITTLE_ENDIAN)).isEqualTo(0x04030201);
    assertThat(slice.getLong(1, ByteOrder.BIG_ENDIAN)).isEqualTo(0x01020304050607ffL);
    assertThat(slice.getLong(1, ByteOrder.LITTLE_ENDIAN)).isEqualTo(0xff07060504030201L);
  }

  @Test
  void reads_outsideTheSlice_throw() {
    Slice slice = Slice.of(new byte[8]);
    assertThatThrownBy(() -> slice.byteAt(8)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> slice.byteAt(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> slice.getInt(5, ByteOrder.BIG_ENDIAN))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> slice.getLong(1, ByteOrder.BIG_ENDIAN))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> slice.copyTo(4, new byte[8], 0, 5))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> slice.copyTo(ByteBuffer.allocate(7)))
        .isInstanceOf(BufferOverflowException.class);
  }

  @Test
  void copyTo_buffer_advancesItsPosition() {
    ByteBuffer target = ByteBuffer.allocateDirect(10).position(2);
    Slice.of("hello").copyTo(target);
    assertThat(target.position()).isEqualTo(7);
    assertThat(target.get(2)).isEqualTo((byte) 'h');
  }

  @Test
  void toString_longBinarySlice_isShortAndPrintable() {
    byte[] bytes = new byte[1 << 20];
    Arrays.fill(bytes, (byte) 0x1b);
    assertThat(Slice.of(bytes)).hasToString("Slice[" + "\\x1b".repeat(64) + "... (1048576 bytes)]");
    assertThat(Slice.of("ab")).hasToString("Slice[ab]");
  }
}
