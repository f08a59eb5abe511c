package dev.kv.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.jmh.result.Footprint;
import dev.kv.jmh.result.Latencies;
import dev.kv.jmh.result.Measurement;
import org.junit.jupiter.api.Test;

class ConsoleTest {
  private static final Footprint FOOTPRINT = new Footprint(0, 0, -1, -1, -1, -1);

  private static Measurement measurement(
      String name, double micros, double megabytes, String message) {
    return new Measurement(
        "kv",
        name,
        0,
        0,
        false,
        new Measurement.Timing(1, 1000, micros, megabytes),
        message,
        null,
        FOOTPRINT);
  }

  @Test
  void format_withRate_isDbBenchLine() {
    assertThat(Console.format(measurement("fillseq", 1.765, 62.7, "")))
        .isEqualTo("fillseq      :       1.765 micros/op;   62.7 MB/s");
  }

  @Test
  void format_withMessage_hasItBehindTheRate() {
    assertThat(Console.format(measurement("fillsync", 268.409, 0.4, "(1000 ops)")))
        .isEqualTo("fillsync     :     268.409 micros/op;    0.4 MB/s (1000 ops)");
  }

  @Test
  void format_withoutRate_hasTheMessageAlone() {
    assertThat(Console.format(measurement("readrandom", 16.677, 0, "(5 of 5 found)")))
        .isEqualTo("readrandom   :      16.677 micros/op; (5 of 5 found)");
  }

  @Test
  void format_footprint_leavesOutWhatIsNotKnown() {
    assertThat(Console.format(FOOTPRINT, 5))
        .isEqualTo("0 B/op on the heap (5 ops); 0.0 MB on disk");
    assertThat(Console.format(new Footprint(24, 1 << 20, 3.5, 2500, 1000, 2 << 20), 5))
        .isEqualTo(
            "24 B/op on the heap (5 ops); 1.0 MB on disk; write amplification 3.50;"
                + " stalled 2.5 ms; 1.0 ms in ops >= 1 ms; peak 2 MB resident in the JVM");
  }

  @Test
  void format_latencies_namesThePercentiles() {
    assertThat(Console.format(new Latencies(1, 2, 3, 4, 5, 6, 1.5)))
        .isEqualTo(
            "micros: p50 1.00, p95 2.00, p99 3.00, p99.9 4.00, p99.99 5.00, max 6.0, mean 1.500");
  }
}
