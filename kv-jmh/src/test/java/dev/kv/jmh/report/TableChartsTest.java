package dev.kv.jmh.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.kv.jmh.result.Spread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TableChartsTest {
  private static final Path DOCUMENT = Path.of("..", "src-docs", "benchmarks.md");

  @Test
  void read_tableBeforeAPicture_hasItsRatios() {
    Map<String, Chart> charts =
        TableCharts.read(
            """
            | benchmark | LMDB | iq80 |
            |---|--:|--:|
            | fillseq | 0.24 (0.22-0.28) | - |
            | open | 1.50 (1.00-3.00) ? | not run |

            ![the title](a-name.png)

            | another | table |
            |---|---|
            """);
    Chart chart = charts.get("a-name");
    assertThat(charts).hasSize(1);
    assertThat(chart.title()).isEqualTo("the title");
    assertThat(chart.stores()).containsExactly("LMDB", "iq80");
    assertThat(chart.rows().get(0).values()).containsExactly(new Spread(0.22, 0.24, 0.28), null);
    assertThat(chart.rows().get(1).values()).containsExactly(new Spread(1, 1.5, 3), null);
  }

  @Test
  void read_cellThatIsNoRatio_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> TableCharts.read("| benchmark | a |\n|---|--:|\n| b | 0.2 |\n\n![t](n.png)\n"))
        .withMessage("no ratio: 0.2");
  }

  @Test
  void pictures_ofTheDocument_showItsTables() throws IOException {
    Map<String, Chart> charts = TableCharts.read(Files.readString(DOCUMENT));
    assertThat(charts).containsOnlyKeys("benchmarks-peers", "benchmarks-cached");
    for (Map.Entry<String, Chart> chart : charts.entrySet()) {
      assertThat(DOCUMENT.resolveSibling(chart.getKey() + ".png")).exists();
      assertThat(Files.readString(DOCUMENT.resolveSibling(chart.getKey() + ".svg")))
          .as("draw it again with: benchmarks.jar report --charts-of src-docs/benchmarks.md")
          .isEqualTo(SvgImage.of(new ChartLayout(chart.getValue())));
      assertThat(chart.getValue().rows())
          .allSatisfy(row -> assertThat(BenchmarkText.of(row.title(), false)).isNotEmpty());
    }
  }
}
