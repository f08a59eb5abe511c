package dev.kv.space;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class KeyPrefixTest {
  private static KeyPrefix prefix(int... bytes) {
    byte[] prefix = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      prefix[i] = (byte) bytes[i];
    }
    return new KeyPrefix(prefix);
  }

  @Test
  void end_isTheFirstKeyAfterThePrefix() {
    assertThat(prefix('a').end()).containsExactly('b');
    assertThat(prefix('a', 0xff).end()).containsExactly('b');
    assertThat(prefix('a', 0xff, 0).end()).containsExactly('a', 0xff, 1);
    assertThat(prefix(0x7f).end()).containsExactly(0x80);
    assertThat(prefix(0xfe, 0xff, 0xff).end()).containsExactly(0xff);
  }

  @Test
  void end_ofAPrefixWithoutOne_isNull() {
    assertThat(prefix().end()).isNull();
    assertThat(prefix(0xff).end()).isNull();
    assertThat(prefix(0xff, 0xff).end()).isNull();
  }

  @Test
  void join_buffer_takesItsRemainingBytesAndKeepsItsPosition() {
    ByteBuffer key = ByteBuffer.allocateDirect(4).put(new byte[] {1, 2, 3, 4}).position(1).limit(3);
    assertThat(prefix(9).join(key)).isEqualTo(ByteBuffer.wrap(new byte[] {9, 2, 3}));
    assertThat(key.position()).isEqualTo(1);
    assertThat(key.limit()).isEqualTo(3);
  }
}
