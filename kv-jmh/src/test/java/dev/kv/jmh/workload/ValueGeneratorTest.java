package dev.kv.jmh.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.xerial.snappy.Snappy;

class ValueGeneratorTest {

  @Test
  void next_ratioOfHalf_repeatsFiftyBytesTwice() {
    byte[] value = new byte[100];
    ValueGenerator values = new ValueGenerator(0.5);
    for (int i = 0; i < 50; i++) {
      values.next(value);
      assertThat(Arrays.copyOf(value, 50)).isEqualTo(Arrays.copyOfRange(value, 50, 100));
    }
  }

  @Test
  void next_ratioOfHalf_compressesToAboutHalf() throws IOException {
    byte[] block = new byte[4096];
    new ValueGenerator(0.5).next(block);
    assertThat(Snappy.compress(block).length / 4096.0).isBetween(0.45, 0.62);
  }

  @Test
  void next_ratioOfOne_doesNotCompress() throws IOException {
    byte[] block = new byte[4096];
    new ValueGenerator(1.0).next(block);
    assertThat(Snappy.compress(block).length / 4096.0).isGreaterThan(0.98);
  }

  @Test
  void next_dataUsedUp_beginsAgain() {
    ValueGenerator values = new ValueGenerator(0.5);
    byte[] first = new byte[100 * 1000];
    values.next(first);
    byte[] value = new byte[first.length];
    for (int i = 0; i < 10; i++) {
      values.next(value);
    }
    assertThat(value).isEqualTo(first);
  }

  @Test
  void next_valueLongerThanTheData_isRefused() {
    assertThatThrownBy(() -> new ValueGenerator(0.5).next(new byte[2 << 20]))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
