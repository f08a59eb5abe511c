package dev.kv.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.jmh.result.Footprint;
import dev.kv.jmh.result.Measurement;
import dev.kv.jmh.result.Summary;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PairTableTest {
  private static Measurement measurement(String store, int round, double micros) {
    return new Measurement(
        store,
        "fillseq",
        0,
        round,
        round == 0,
        new Measurement.Timing(1, 1, micros, 0),
        "",
        null,
        new Footprint(0, 0, -1, -1, -1, -1));
  }

  @Test
  void text_onePeer_hasMediansColdAndTheMedianOfRatios() {
    List<Measurement> all = new ArrayList<>();
    double[] kv = {9, 1, 2, 3};
    double[] peer = {8, 4, 2, 4};
    for (int round = 0; round < 4; round++) {
      all.add(measurement("kv", round, kv[round]));
      all.add(measurement("lmdb", round, peer[round]));
    }
    assertThat(new PairTable(Summary.of(all)).text().lines())
        .containsExactly(
            "micros/op                   kv      (cold)        lmdb      (cold)   kv/lmdb",
            "fillseq                  2.000       9.000       4.000       8.000"
                + "   0.75 [0.25 .. 1.00]",
            "",
            "Warning: the ratios of these pairs lie too far apart to trust the median. Run again on"
                + " an idle machine, or with more --pairs.",
            "  fillseq, kv/lmdb: 0.25 to 1.00");
  }

  @Test
  void text_pairsCloseTogether_hasNoWarning() {
    List<Measurement> all = new ArrayList<>();
    for (int round = 1; round < 4; round++) {
      all.add(measurement("kv", round, 10 + round));
      all.add(measurement("lmdb", round, 20));
    }
    assertThat(new PairTable(Summary.of(all)).text()).doesNotContain("Warning");
  }

  @Test
  void text_twoPeers_hasRatiosInATableOfTheirOwn() {
    List<Measurement> all =
        List.of(measurement("kv", 1, 1), measurement("lmdb", 1, 2), measurement("rocksdb", 1, 4));
    assertThat(new PairTable(Summary.of(all)).text())
        .contains("\n\nratio                kv/lmdb                  kv/rocksdb\n")
        .contains("0.50 [0.50 .. 0.50]      0.25 [0.25 .. 0.25]");
  }

  @Test
  void text_peerWithoutTheBenchmark_hasADash() {
    List<Measurement> all = new ArrayList<>(List.of(measurement("kv", 1, 1)));
    all.add(
        new Measurement(
            "iq80",
            "readseq",
            1,
            1,
            false,
            new Measurement.Timing(1, 1, 1, 0),
            "",
            null,
            new Footprint(0, 0, -1, -1, -1, -1)));
    assertThat(new PairTable(Summary.of(all)).text().lines().skip(1))
        .containsExactly(
            "fillseq                  1.000           -           -           -   -",
            "readseq                      -           -       1.000           -   -");
  }
}
