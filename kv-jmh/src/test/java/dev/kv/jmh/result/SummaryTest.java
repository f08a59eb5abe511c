package dev.kv.jmh.result;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SummaryTest {
  private static Measurement measurement(
      String store, String benchmark, int position, int round, double micros) {
    return measurement(store, benchmark, position, round, round == 0, micros);
  }

  private static Measurement measurement(
      String store, String benchmark, int position, int round, boolean cold, double micros) {
    return new Measurement(
        store,
        benchmark,
        position,
        round,
        cold,
        new Measurement.Timing(1, 1, micros, 0),
        "",
        null,
        new Footprint(0, 0, -1, -1, -1, -1));
  }

  @Test
  void rows_nameTwiceInTheSequence_areNumbered() {
    Summary summary =
        Summary.of(
            List.of(
                measurement("kv", "readseq", 1, 1, 1),
                measurement("kv", "fillseq", 0, 1, 1),
                measurement("kv", "readseq", 2, 1, 1)));
    assertThat(summary.rows())
        .extracting(Summary.Row::title)
        .containsExactly("fillseq", "readseq", "readseq#2");
  }

  @Test
  void warm_severalRounds_isTheirMedianWithoutTheCold() {
    Summary.Row row =
        Summary.of(
                List.of(
                    measurement("kv", "fillseq", 0, 0, 100),
                    measurement("kv", "fillseq", 0, 1, 3),
                    measurement("kv", "fillseq", 0, 2, 1),
                    measurement("kv", "fillseq", 0, 3, 2)))
            .rows()
            .get(0);
    assertThat(row.warm("kv")).hasValue(2);
    assertThat(row.cold("kv")).hasValue(100);
    assertThat(row.warm("lmdb")).isEmpty();
  }

  @Test
  void cold_severalRounds_isTheFirst() {
    Summary.Row row =
        Summary.of(
                List.of(
                    measurement("kv", "fillseq", 0, 1, true, 3),
                    measurement("kv", "fillseq", 0, 0, true, 9),
                    measurement("kv", "fillseq", 0, 2, true, 1)))
            .rows()
            .get(0);
    assertThat(row.cold("kv")).hasValue(9);
    assertThat(row.cold("lmdb")).isEmpty();
  }

  @Test
  void settled_coldAlone_isTheCold() {
    Summary.Row row = Summary.of(List.of(measurement("kv", "fillseq", 0, 0, 5))).rows().get(0);
    assertThat(row.settled("kv", m -> m.timing().microsPerOp())).hasValue(5);
  }

  @Test
  void ratios_roundsThatBothHave_arePaired() {
    Summary.Row row =
        Summary.of(
                List.of(
                    measurement("kv", "fillseq", 0, 1, 1),
                    measurement("lmdb", "fillseq", 0, 1, 4),
                    measurement("lmdb", "fillseq", 0, 2, 2),
                    measurement("kv", "fillseq", 0, 2, 3),
                    measurement("kv", "fillseq", 0, 3, 3)))
            .rows()
            .get(0);
    assertThat(row.ratios("kv", "lmdb")).containsExactly(0.25, 1.5);
  }

  @Test
  void ratios_coldAlone_areOfTheCold() {
    Summary.Row row =
        Summary.of(
                List.of(
                    measurement("kv", "fillseq", 0, 0, 1), measurement("lmdb", "fillseq", 0, 0, 4)))
            .rows()
            .get(0);
    assertThat(row.ratios("kv", "lmdb")).containsExactly(0.25);
  }

  @Test
  void medians_evenOddAndNone_areRight() {
    assertThat(Medians.of(3, 1, 2)).isEqualTo(2);
    assertThat(Medians.of(4, 1, 2, 3)).isEqualTo(2.5);
    assertThat(Medians.of()).isNaN();
  }
}
