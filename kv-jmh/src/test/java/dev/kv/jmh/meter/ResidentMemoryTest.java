package dev.kv.jmh.meter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ResidentMemoryTest {

  @Test
  void parse_statusFile_isInBytes() {
    assertThat(ResidentMemory.parse(List.of("VmPeak:\t 9 kB", "VmHWM:\t  123 kB")))
        .isEqualTo(125952);
  }

  @Test
  void parse_noSuchLine_isUnknown() {
    assertThat(ResidentMemory.parse(List.of("Name:\tjava"))).isEqualTo(-1);
  }
}
