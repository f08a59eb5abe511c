package dev.kv.jmh.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.kv.jmh.result.Footprint;
import dev.kv.jmh.result.Measurement;
import dev.kv.jmh.result.Spread;
import dev.kv.jmh.result.Summary;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xml.sax.InputSource;

class ChartsTest {
  @TempDir Path directory;

  private static Measurement measurement(String store, int position, int round, double micros) {
    return new Measurement(
        store,
        "benchmark" + position,
        position,
        round,
        false,
        new Measurement.Timing(1, 1, micros, 0),
        "",
        null,
        new Footprint(0, 0, -1, -1, -1, -1));
  }

  @Test
  void of_severalStores_showsTheFirstsTimeDividedByTheirs() {
    List<Measurement> all = new ArrayList<>();
    double[] peer = {2, 4, 8};
    for (int round = 0; round < 3; round++) {
      all.add(measurement("kv", 0, round, 2));
      all.add(measurement("lmdb", 0, round, peer[round]));
    }
    Chart chart = Charts.of(Summary.of(all));
    assertThat(chart.title()).isEqualTo("Time of kv divided by the time of each peer");
    assertThat(chart.axis()).startsWith("Time of kv divided by the peer's time");
    assertThat(chart.stores()).containsExactly("LMDB");
    assertThat(chart.rows())
        .containsExactly(new Chart.Row("benchmark0", List.of(new Spread(0.25, 0.5, 1))));
  }

  @Test
  void of_oneStore_showsItsTimes() {
    Chart chart =
        Charts.of(Summary.of(List.of(measurement("kv", 0, 0, 3), measurement("kv", 0, 1, 5))));
    assertThat(chart.title()).isEqualTo("Time per operation of kv");
    assertThat(chart.rows().get(0).values()).containsExactly(new Spread(3, 4, 5));
  }

  @Test
  void of_storeWithoutABenchmark_isExplained() {
    Chart chart =
        Charts.of(
            Summary.of(
                List.of(
                    measurement("kv", 0, 0, 1),
                    measurement("iq80", 0, 0, 2),
                    measurement("kv", 1, 0, 1))));
    assertThat(chart.rows().get(1).values()).containsOnlyNulls();
    assertThat(chart.notes())
        .containsExactly(
            "A dot is the median of the pairs of runs, a line their range; a hollow dot has a wide"
                + " range.",
            "No dot: the store does not have the benchmark, or was not measured in it.");
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.MIN_VALUE, 1e300, Double.POSITIVE_INFINITY, Double.NaN})
  void of_timeThatNoLogarithmicAxisShows_hasNoDot(double micros) throws IOException {
    List<Measurement> alone = List.of(measurement("kv", 0, 0, 3), measurement("kv", 1, 0, micros));
    Chart times = Charts.of(Summary.of(alone));
    assertThat(times.rows().get(0).values()).containsExactly(new Spread(3, 3, 3));
    assertThat(times.rows().get(1).values()).containsOnlyNulls();
    assertThat(times.notes()).hasSize(2);
    List<Measurement> all = new ArrayList<>(alone);
    all.add(measurement("lmdb", 0, 0, micros));
    all.add(measurement("lmdb", 1, 0, 3));
    Chart ratios = Charts.of(Summary.of(all));
    assertThat(ratios.rows()).allSatisfy(row -> assertThat(row.values()).containsOnlyNulls());
    Charts.write(times, directory, "times");
    Charts.write(ratios, directory, "ratios");
    assertThat(directory.resolve("ratios.svg")).isNotEmptyFile();
  }

  @Test
  void logScale_rangeFromZero_isRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> new LogScale(0, 1));
  }

  @Test
  void write_manyRowsAndStores_isASmallWellFormedSvg() throws Exception {
    List<Measurement> all = new ArrayList<>();
    for (String store : List.of("kv", "a", "b", "c", "d", "e", "f", "g<&>")) {
      for (int position = 0; position < 40; position++) {
        for (int round = 0; round < 5; round++) {
          all.add(measurement(store, position, round, 1 + all.size() % 97));
        }
      }
    }
    Charts.write(Charts.of(Summary.of(all)), directory, "many");
    String svg = Files.readString(directory.resolve("many.svg"));
    assertThat(svg.length()).isLessThan(60_000);
    DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(svg)));
  }

  @Test
  void layout_comparison_namesAndShadesBothSidesOfOne() {
    Chart chart =
        Charts.comparison(
            "title",
            "kv",
            List.of("LMDB", "RocksDB"),
            List.of(new Chart.Row("readhot", List.of(new Spread(2, 3, 3), new Spread(2, 2, 4)))));
    List<ChartLayout.Shape> shapes = new ChartLayout(chart).shapes();
    List<ChartLayout.Area> areas = all(shapes, ChartLayout.Area.class);
    List<ChartLayout.Label> labels = all(shapes, ChartLayout.Label.class);
    assertThat(areas).hasSize(2);
    double one = areas.get(1).x();
    assertThat(areas.get(0).x() + areas.get(0).width()).isEqualTo(one, within(1e-9));
    assertThat(labels)
        .anySatisfy(label -> assertThat(label.text()).isEqualTo("get, a hundredth of the keys"))
        .anySatisfy(
            label -> {
              assertThat(label.text()).isEqualTo("kv faster");
              assertThat(label.x()).isLessThan(one);
            })
        .anySatisfy(
            label -> {
              assertThat(label.text()).isEqualTo("kv slower");
              assertThat(label.x()).isGreaterThan(one);
            })
        .allSatisfy(label -> assertThat(label.size()).isGreaterThanOrEqualTo(13));
    List<ChartLayout.Dot> dots = all(shapes, ChartLayout.Dot.class);
    assertThat(dots.get(2).x()).isGreaterThan(one);
    assertThat(dots).extracting(ChartLayout.Dot::filled).containsExactly(true, true, true, false);
    assertThat(dots.get(0).colour()).isEqualTo(dots.get(2).colour());
    assertThat(dots.get(1).colour()).isEqualTo(dots.get(3).colour());
    assertThat(dots.get(0).colour()).isNotEqualTo(dots.get(1).colour());
  }

  @Test
  void layout_repeatedBenchmark_isSaidToFollowACompactionIfItDoes() {
    List<Chart.Row> rows = new ArrayList<>();
    for (String title :
        List.of("fillseq", "readrandom", "readrandom#2", "compact", "readseq", "readrandom#3")) {
      rows.add(new Chart.Row(title, List.of(new Spread(1, 2, 3))));
    }
    List<ChartLayout.Label> labels =
        all(
            new ChartLayout(Charts.comparison("title", "kv", List.of("LMDB"), rows)).shapes(),
            ChartLayout.Label.class);
    List<String> texts = labels.stream().map(ChartLayout.Label::text).toList();
    assertThat(texts.get(texts.indexOf("readrandom") + 1)).isEqualTo("get, random keys");
    assertThat(texts.get(texts.indexOf("readrandom#2") + 1)).isEqualTo("get, random keys");
    assertThat(texts.get(texts.indexOf("readrandom#3") + 1)).isEqualTo("get, after a compaction");
  }

  private static <T extends ChartLayout.Shape> List<T> all(
      List<ChartLayout.Shape> shapes, Class<T> type) {
    return shapes.stream().filter(type::isInstance).map(type::cast).toList();
  }

  @Test
  void logScale_range_hasLabelsAroundIt() throws IOException {
    LogScale scale = new LogScale(0.3, 7);
    assertThat(scale.labels()).containsExactly(0.2, 0.5, 1.0, 2.0, 5.0, 10.0);
    assertThat(scale.place(0.2)).isEqualTo(0, within(1e-9));
    assertThat(scale.place(10)).isEqualTo(1, within(1e-9));
    assertThat(scale.place(Math.sqrt(2))).isEqualTo(0.5, within(1e-9));
    assertThat(new LogScale(0.02, 900).labels())
        .containsExactly(0.01, 0.1, 1.0, 10.0, 100.0, 1000.0);
    assertThat(new LogScale(1, 1).labels()).containsExactly(0.5, 1.0, 2.0);
  }
}
