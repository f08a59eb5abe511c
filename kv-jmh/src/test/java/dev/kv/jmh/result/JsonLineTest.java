package dev.kv.jmh.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonLineTest {

  @Test
  void toString_everyKind_isJson() {
    JsonLine line =
        new JsonLine()
            .put("text", "a \"quoted\" \\ and\nbroken")
            .put("whole", 12L)
            .put("fraction", 0.125)
            .put("truth", true)
            .put("lost", Double.NaN);
    assertThat(line)
        .hasToString(
            "{\"text\":\"a \\\"quoted\\\" \\\\ and\\u000abroken\",\"whole\":12,"
                + "\"fraction\":0.125,\"truth\":true}");
  }

  @Test
  void parse_whatWasPrinted_isTheSame() {
    JsonLine line = new JsonLine().put("text", "\t\"\\/é\u0001").put("big", 1e300).put("no", false);
    JsonLine read = JsonLine.parse(line.toString());
    assertThat(read.text("text")).isEqualTo("\t\"\\/é\u0001");
    assertThat(read.number("big")).isEqualTo(1e300);
    assertThat(read.truth("no")).isFalse();
  }

  @Test
  void parse_spacesAndEscapes_areTaken() {
    JsonLine read = JsonLine.parse(" { \"a\" : \"x\\n\\t\\/\" , \"b\" : -1.5e3 } ");
    assertThat(read.text("a")).isEqualTo("x\n\t/");
    assertThat(read.number("b")).isEqualTo(-1500);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "{}x",
        "[]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\":\"x}",
        "{\"a\":\"\\q\"}",
        "{\"a\":\"\\u12\"}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":nul}",
        "{\"a\":\"\\"
      })
  void parse_malformed_isRefused(String text) {
    assertThatThrownBy(() -> JsonLine.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void get_absentOrOfAnotherKind_isRefused() {
    JsonLine line = new JsonLine().put("a", "text");
    assertThatThrownBy(() -> line.number("a")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> line.text("b")).isInstanceOf(IllegalArgumentException.class);
  }
}
