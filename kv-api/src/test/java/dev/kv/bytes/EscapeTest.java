package dev.kv.bytes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EscapeTest {

  @Test
  void shown_upTo64Bytes_isTheWhole() {
    assertThat(Escape.shown(new byte[0])).isEmpty();
    assertThat(Escape.shown(new byte[] {'a', 0, '\\', (byte) 0xff})).isEqualTo("a\\x00\\x5c\\xff");
    assertThat(Escape.shown(new byte[64])).isEqualTo("\\x00".repeat(64));
  }

  @Test
  void shown_longArray_isItsHeadAndLength() {
    assertThat(Escape.shown(new byte[65])).isEqualTo("\\x00".repeat(64) + "... (65 bytes)");
    assertThat(Escape.shown("k".repeat(1 << 20).getBytes()))
        .isEqualTo("k".repeat(64) + "... (1048576 bytes)");
  }
}
