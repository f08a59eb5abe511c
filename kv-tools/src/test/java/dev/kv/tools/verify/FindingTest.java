package dev.kv.tools.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.tools.text.Json;
import org.junit.jupiter.api.Test;

class FindingTest {
  @Test
  void members_nameThatIsNotAscii_isTheNameItself() {
    Finding finding = Finding.damage("d\u00e9j\u00e0\\1\u0007.log", 7, "torn");
    assertThat(Json.of(finding.members()))
        .isEqualTo(
            "{\"damage\":true,\"file\":\"d\u00e9j\u00e0\\\\1\\u0007.log\",\"offset\":7,"
                + "\"text\":\"torn\"}");
    assertThat(finding.line()).isEqualTo("damaged: d\\xe9j\\xe0\\1\\x07.log, offset 7: torn");
  }
}
