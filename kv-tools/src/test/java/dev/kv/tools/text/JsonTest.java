package dev.kv.tools.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  @Test
  void strings_oneObjectBetweenBlanks_givesItsMembers() {
    assertThat(Json.strings(" {\"key\":\"a\", \"value\":\"1\"}\t "))
        .isEqualTo(Map.of("key", "a", "value", "1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"key\":\"a\"}{\"key\":\"b\"}",
        "{\"key\":\"a\"}, ",
        "{\"key\":\"a\"}}",
        "{\"key\":\"a\"} x",
        "{\"key\":\"a\"} 1",
        "{\"key\":\"a\",\"key\":\"b\"}",
        "{\"key\":\"a\",\"key\":\"a\"}",
        "{\"key\":\"a\",\"k\\u0065y\":\"b\"}"
      })
  void strings_moreThanOneObjectOrAMemberTwice_areRefused(String text) {
    assertThatThrownBy(() -> Json.strings(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
