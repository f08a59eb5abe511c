package dev.kv.tools.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class Utf8TextTest {
  @Test
  void of_charactersOfAnyLength_areThemselves() {
    String text = "a\u00e4\u20ac\ud83d\ude00 \"'";
    assertThat(Utf8Text.of(text.getBytes(UTF_8))).isEqualTo(text);
  }

  @Test
  void of_charactersThatAreNotShown_areEscapedBytes() {
    String hidden = "\u001b\u007f\u009b\u202e\u200b\u2028\ue000\\";
    assertThat(Utf8Text.of(hidden.getBytes(UTF_8))).matches("(\\\\x[0-9a-f]{2})+");
  }

  @Test
  void of_malformedUtf8_escapesOnlyTheBytesThatAreMalformed() {
    byte[] bytes = {
      (byte) 0xc3, 'a', (byte) 0xe2, (byte) 0x82, (byte) 0xc3, (byte) 0xa4, (byte) 0xf8
    };
    assertThat(Utf8Text.of(bytes)).isEqualTo("\\xc3a\\xe2\\x82\u00e4\\xf8");
    byte[] surrogate = {(byte) 0xed, (byte) 0xa0, (byte) 0x80};
    assertThat(Utf8Text.of(surrogate)).isEqualTo("\\xed\\xa0\\x80");
    byte[] overlong = {(byte) 0xc0, (byte) 0xaf};
    assertThat(Utf8Text.of(overlong)).isEqualTo("\\xc0\\xaf");
  }

  @Test
  void of_anyBytes_isReadBackByByteText() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 2000; i++) {
      byte[] bytes = new byte[random.nextInt(12)];
      random.nextBytes(bytes);
      assertThat(ByteText.parse(Utf8Text.of(bytes)).bytes()).as("seed %d", seed).isEqualTo(bytes);
    }
  }
}
