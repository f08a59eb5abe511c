package dev.kv.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class VarintTest {
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(16).order(ByteOrder.LITTLE_ENDIAN);

  @Test
  void varint32_everyPowerAndNeighbours_roundTrips() {
    for (int shift = 0; shift < 32; shift++) {
      for (int value : new int[] {1 << shift, (1 << shift) - 1, (1 << shift) + 1, -1 >>> shift}) {
        int end = Varint.put32(buffer, 1, value);
        assertThat(end - 1).isEqualTo(Varint.size32(value));
        long decoded = Varint.get32(buffer, 1, end);
        assertThat(Varint.value32(decoded)).isEqualTo(value);
        assertThat(Varint.next32(decoded)).isEqualTo(end);
        assertThat(Varint.get32(buffer, 1, end - 1)).as("cut short").isEqualTo(Varint.MALFORMED);
      }
    }
  }

  @Test
  void varint64_everyPowerAndNeighbours_roundTrips() {
    for (int shift = 0; shift < 64; shift++) {
      for (long value : new long[] {1L << shift, (1L << shift) - 1, -1L >>> shift}) {
        int end = Varint.put64(buffer, 1, value);
        assertThat(end - 1).isEqualTo(Varint.size64(value));
        assertThat(Varint.end64(buffer, 1, 16)).isEqualTo(end);
        assertThat(Varint.get64(buffer, 1, end)).isEqualTo(value);
        assertThat(Varint.end64(buffer, 1, end - 1)).isEqualTo(Varint.MALFORMED);
      }
    }
  }

  @Test
  void varint32_overflow_isMalformed() {
    for (int i = 0; i < 5; i++) {
      buffer.put(i, (byte) 0xff);
    }
    buffer.put(5, (byte) 1);
    assertThat(Varint.get32(buffer, 0, 16)).isEqualTo(Varint.MALFORMED);
    buffer.put(4, (byte) 0x10);
    assertThat(Varint.get32(buffer, 0, 16)).isEqualTo(Varint.MALFORMED);
    buffer.put(4, (byte) 0x0f);
    assertThat(Varint.value32(Varint.get32(buffer, 0, 16))).isEqualTo(-1);
  }

  @Test
  void varint64_overflow_isMalformed() {
    for (int i = 0; i < 9; i++) {
      buffer.put(i, (byte) 0xff);
    }
    buffer.put(9, (byte) 2);
    assertThat(Varint.end64(buffer, 0, 16)).isEqualTo(Varint.MALFORMED);
    buffer.put(9, (byte) 1);
    assertThat(Varint.get64(buffer, 0, Varint.end64(buffer, 0, 16))).isEqualTo(-1L);
  }

  @Test
  void fixed_arrays_areLittleEndian() {
    byte[] bytes = new byte[12];
    assertThat(Fixed.put32(bytes, 0, 0x04030201)).isEqualTo(4);
    assertThat(Fixed.put64(bytes, 4, 0x0807060504030201L)).isEqualTo(12);
    assertThat(bytes).containsExactly(1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8);
    assertThat(Fixed.get64(bytes, 4)).isEqualTo(0x0807060504030201L);
  }
}
