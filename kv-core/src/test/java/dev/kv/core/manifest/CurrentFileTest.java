package dev.kv.core.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.errors.CorruptionException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CurrentFileTest {
  private static CurrentFile parse(String content) {
    return CurrentFile.parse(content.getBytes(StandardCharsets.ISO_8859_1), "CURRENT");
  }

  @Test
  void parse_ofAName_givesItAndItsNumber() {
    assertThat(parse("MANIFEST-000002\n")).isEqualTo(new CurrentFile("MANIFEST-000002", 2));
    assertThat(parse("MANIFEST-1234567890123\n").number()).isEqualTo(1234567890123L);
    assertThat(parse("MANIFEST-5\n").manifest()).isEqualTo("MANIFEST-5");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "\n",
        "MANIFEST-000002",
        "MANIFEST-000002\r\n",
        "MANIFEST-000002\n\n",
        "MANIFEST-000002 \n",
        " MANIFEST-000002\n",
        "MANIFEST-\n",
        "MANIFEST-00000x\n",
        "MANIFEST--1\n",
        "MANIFEST-+1\n",
        "MANIFEST-99999999999999999999\n",
        "MANIFEST-000002/../x\n",
        "../MANIFEST-000002\n",
        "/etc/MANIFEST-000002\n",
        "manifest-000002\n",
        "000002.log\n",
        "CURRENT\n",
        "MANIFEST-000002\u0000\n",
        "MANIFEST-\u00b2\n",
        "MANIFEST-000000000000000000000000000000000000000000000000000000000000000000000000000002\n"
      })
  void parse_ofAnythingElse_isCorruption(String content) {
    assertThatThrownBy(() -> parse(content.substring(0, Math.min(64, content.length()))))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("CURRENT");
  }
}
