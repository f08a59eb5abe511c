package dev.kv.jmh.workload;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DecimalKeyTest {

  @Test
  void set_number_isSixteenDigits() {
    assertThat(new String(new DecimalKey(0).set(1234567), US_ASCII)).isEqualTo("0000000001234567");
  }

  @Test
  void set_shorterNumberAfterLonger_leavesNoDigit() {
    DecimalKey key = new DecimalKey(0);
    key.set(9_999_999);
    assertThat(new String(key.set(5), US_ASCII)).isEqualTo("0000000000000005");
  }

  @Test
  void set_withPrefix_beginsWithIt() {
    DecimalKey key = new DecimalKey(3);
    assertThat(new String(key.set(42), US_ASCII)).isEqualTo("aaa0000000000000042");
    assertThat(key.length()).isEqualTo(19);
  }
}
