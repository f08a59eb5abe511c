package dev.kv.jmh.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OpMeterTest {
  @Test
  void consumeEntry_sumsUpAndCountsTheBytesOfKeyAndValue() {
    OpMeter meter = new OpMeter(false);
    meter.consumeEntry(new byte[] {1, 2}, new byte[] {3, 4, 5});
    meter.consumeEntry(new byte[] {1}, new byte[0]);
    assertThat(meter.sum()).isEqualTo(16);
    assertThat(meter.bytes()).isEqualTo(6);
    assertThat(meter.operations()).isZero();
  }
}
