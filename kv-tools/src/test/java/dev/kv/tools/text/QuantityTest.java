package dev.kv.tools.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QuantityTest {
  @Test
  void of_one_isSingular() {
    assertThat(Quantity.of(1, "log")).isEqualTo("1 log");
    assertThat(Quantity.of(0, "log")).isEqualTo("0 logs");
    assertThat(Quantity.of(2, "entry", "entries")).isEqualTo("2 entries");
    assertThat(Quantity.of(1, "entry", "entries")).isEqualTo("1 entry");
  }
}
