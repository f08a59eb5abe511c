package dev.kv.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.Samples;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class VarintTest {
  private static final long SEED = 7;
  private static final int TRIES = 2000;

  private final ByteBuffer buffer = ByteBuffer.allocateDirect(16).order(ByteOrder.LITTLE_ENDIAN);

  @Test
  void varint32_everyPowerAndNeighbours_roundTrips() {
    for (int shift = 0; shift < 32; shift++) {
      for (int value : new int[] {1 << shift, (1 << shift) - 1, (1 << shift) + 1, -1 >>> shift}) {
        int end = Varint.put32(buffer, 1, value);
        assertThat(end - 1).isEqualTo(sevenBitGroups(value));
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
  void varint_bytes_areLevelDbs() {
    byte[] bytes = new byte[16];
    assertThat(Varint.put32(bytes, 0, 300)).isEqualTo(2);
    assertThat(Arrays.copyOf(bytes, 2)).containsExactly(0xac, 0x02);
    assertThat(Varint.put32(bytes, 0, -1)).isEqualTo(5);
    assertThat(Arrays.copyOf(bytes, 5)).containsExactly(0xff, 0xff, 0xff, 0xff, 0x0f);
    assertThat(Varint.put64(bytes, 0, -1)).isEqualTo(10);
    assertThat(Arrays.copyOf(bytes, 10))
        .containsExactly(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1);
  }

  @Test
  void varint32_anyValueAnywhere_isTheSameInArraysAndBuffers() {
    Random random = new Random(SEED);
    for (int i = 0; i < TRIES; i++) {
      check32(Samples.anyInt(random), Samples.upTo(random, 6));
    }
  }

  private static int sevenBitGroups(int value) {
    int groups = 1;
    for (int rest = value >>> 7; rest != 0; rest >>>= 7) {
      groups++;
    }
    return groups;
  }

  private void check32(int value, int offset) {
    byte[] bytes = new byte[16];
    int end = Varint.put32(bytes, offset, value);
    assertThat(Varint.put32(buffer, offset, value)).isEqualTo(end);
    assertThat(end - offset).isEqualTo(sevenBitGroups(value));
    long decoded = Varint.get32(ByteBuffer.wrap(bytes), offset, end);
    assertThat(Varint.get32(buffer, offset, end)).isEqualTo(decoded);
    assertThat(Varint.value32(decoded)).isEqualTo(value);
    assertThat(Varint.next32(decoded)).isEqualTo(end);
    for (int limit = offset; limit < end; limit++) {
      assertThat(Varint.get32(buffer, offset, limit)).isEqualTo(Varint.MALFORMED);
    }
  }

  @Test
  void varint64_anyValueAnywhere_isTheSameInArraysAndBuffers() {
    Random random = new Random(SEED);
    for (int i = 0; i < TRIES; i++) {
      check64(Samples.anyLong(random), Samples.upTo(random, 6));
    }
  }

  private void check64(long value, int offset) {
    byte[] bytes = new byte[16];
    int end = Varint.put64(bytes, offset, value);
    assertThat(Varint.put64(buffer, offset, value)).isEqualTo(end);
    assertThat(Varint.end64(ByteBuffer.wrap(bytes), offset, 16)).isEqualTo(end);
    assertThat(Varint.end64(buffer, offset, 16)).isEqualTo(end);
    assertThat(Varint.get64(ByteBuffer.wrap(bytes), offset, end)).isEqualTo(value);
    assertThat(Varint.get64(buffer, offset, end)).isEqualTo(value);
    for (int limit = offset; limit < end; limit++) {
      assertThat(Varint.end64(ByteBuffer.wrap(bytes), offset, limit)).isEqualTo(Varint.MALFORMED);
      assertThat(Varint.end64(buffer, offset, limit)).isEqualTo(Varint.MALFORMED);
    }
  }

  @Test
  void decoding_anyBytes_staysWithinTheLimit() {
    Random random = new Random(SEED);
    for (int i = 0; i < TRIES; i++) {
      checkLimit(Samples.bytes(random, 16), Samples.upTo(random, 16));
    }
  }

  private static void checkLimit(byte[] bytes, int limit) {
    ByteBuffer direct =
        ByteBuffer.allocateDirect(limit).order(ByteOrder.LITTLE_ENDIAN).put(0, bytes, 0, limit);
    long decoded = Varint.get32(direct, 0, limit);
    if (decoded != Varint.MALFORMED) {
      assertThat(Varint.next32(decoded)).isBetween(1, Math.min(limit, Varint.MAX_32));
    }
    int end = Varint.end64(direct, 0, limit);
    if (end != Varint.MALFORMED) {
      assertThat(end).isBetween(1, Math.min(limit, Varint.MAX_64));
    }
  }
}
