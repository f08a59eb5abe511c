package dev.kv.jmh.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.bytes.Slice;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteSumTest {
  private static final long SEED = 20260101;

  @Test
  void of_sameBytesHoweverHeld_isTheSame() {
    Random random = new Random(SEED);
    for (int length = 0; length < 40; length++) {
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      long sum = ByteSum.of(bytes, length);
      ByteBuffer buffer = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
      assertThat(ByteSum.of(buffer.put(bytes).flip())).as("length %d", length).isEqualTo(sum);
      assertThat(ByteSum.of(Slice.of(bytes))).as("length %d", length).isEqualTo(sum);
    }
  }

  @Test
  void of_anyByteChanged_differs() {
    byte[] bytes = new byte[21];
    long sum = ByteSum.of(bytes, bytes.length);
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = 1;
      assertThat(ByteSum.of(bytes, bytes.length)).as("byte %d", i).isNotEqualTo(sum);
      bytes[i] = 0;
    }
  }
}
