package dev.kv.tools.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.Escape;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ByteTextTest {
  @Test
  void parse_everyByteEscaped_givesTheBytesBack() {
    byte[] bytes = new byte[256];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    assertThat(ByteText.parse(Escape.bytes(bytes)).bytes()).isEqualTo(bytes);
  }

  @Test
  void parse_textOutsideAscii_isUtf8() {
    assertThat(ByteText.parse("grün").bytes()).isEqualTo("grün".getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void parse_twoBackslashes_areOne() {
    assertThat(text("a\\\\x41")).isEqualTo("a\\x41");
    assertThat(text("\\\\\\\\")).isEqualTo("\\\\");
    assertThat(text("\\\\\\x41\\\\")).isEqualTo("\\A\\");
  }

  @ParameterizedTest
  @ValueSource(strings = {"C:\\temp", "\\q", "\\n", "a\\", "\\X41", "\\u0041"})
  void parse_backslashBeforeAnotherCharacter_isRefused(String text) {
    assertThatThrownBy(() -> ByteText.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must follow a backslash");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\ud800", "a\udc00", "\ud800\\x41", "\ud800\ud800\udc00"})
  void parse_halfOfASurrogatePair_isRefused(String text) {
    assertThatThrownBy(() -> ByteText.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("half of a character");
  }

  private static String text(String spelled) {
    return new String(ByteText.parse(spelled).bytes(), StandardCharsets.UTF_8);
  }

  @Test
  void parse_halfAnEscape_isRefused() {
    assertThatThrownBy(() -> ByteText.parse("a\\x1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("two hexadecimal digits");
    assertThatThrownBy(() -> ByteText.parse("\\xzz")).isInstanceOf(IllegalArgumentException.class);
  }
}
