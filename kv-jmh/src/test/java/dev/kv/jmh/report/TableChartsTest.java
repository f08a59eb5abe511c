package dev.kv.jmh.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.jmh.result.Spread;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class TableChartsTest {
  private static final Path DOCUMENT = Path.of("..", "src-docs", "benchmarks.md");

  @TempDir Path directory;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private int charts(Path document, StringWriter errors) {
    return new CommandLine(new ReportCommand(new PrintStream(out, true, StandardCharsets.UTF_8)))
        .setErr(new PrintWriter(errors))
        .execute("--charts-of", document.toString());
  }

  private String printed() {
    return out.toString(StandardCharsets.UTF_8);
  }

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

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "| b | 0.2 |,                   line 6: no ratio: 0.2",
        "| b | 0.2.1 (0.1-0.3) |,       line 6: no ratio: 0.2.1 (0.1-0.3)",
        "| b |,                         line 6: 1 cells under 2 heads",
        "| b | - | 0.20 (0.10-0.30) |,  line 6: 3 cells under 2 heads",
        "|,                             line 6: no cell: |",
      })
  void charts_ofAMalformedTable_areRefusedWithItsLine(String line, String message)
      throws IOException {
    Path document =
        Files.writeString(
            directory.resolve("document.md"),
            """
            # Title

            | benchmark | a |
            |---|--:|
            | c | 0.10 (0.10-0.10) |
            %s

            ![t](n.png)
            """
                .formatted(line));
    StringWriter errors = new StringWriter();
    assertThat(charts(document, errors)).isEqualTo(1);
    assertThat(errors.toString()).isEmpty();
    assertThat(printed()).isEqualTo(document + ", " + message + System.lineSeparator());
    assertThat(directory).isDirectoryNotContaining("glob:**/n.*");
  }

  @Test
  void charts_ofADocumentThatIsMissing_areRefused() {
    Path document = directory.resolve("document.md");
    StringWriter errors = new StringWriter();
    assertThat(charts(document, errors)).isEqualTo(1);
    assertThat(errors.toString()).isEmpty();
    assertThat(printed()).isEqualTo("no document " + document + System.lineSeparator());
  }

  @Test
  void read_tableOfOneLine_hasNoRows() {
    Map<String, Chart> charts = TableCharts.read("| benchmark | a |\n\n![t](n.png)\n");
    assertThat(charts.get("n").rows()).isEmpty();
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
