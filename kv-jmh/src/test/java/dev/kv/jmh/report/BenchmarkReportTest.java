package dev.kv.jmh.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.jmh.result.Footprint;
import dev.kv.jmh.result.Latencies;
import dev.kv.jmh.result.Measurement;
import dev.kv.jmh.result.ResultFile;
import dev.kv.jmh.result.RunInfo;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class BenchmarkReportTest {
  private static final List<String> SEQUENCE =
      List.of("fillseq", "readrandom", "compact", "readrandom");

  @TempDir Path directory;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private int report(String... args) {
    return new CommandLine(new ReportCommand(new PrintStream(out, true, StandardCharsets.UTF_8)))
        .execute(args);
  }

  private void results(String command) throws IOException {
    results(command, SEQUENCE);
  }

  private void results(String command, List<String> sequence) throws IOException {
    RunInfo run = new RunInfo("2026-01-02", "2 * a processor", "Linux", "17", command, "0.1");
    try (ResultFile file = ResultFile.create(directory, run)) {
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < sequence.size(); i++) {
          file.add(measurement("kv", sequence.get(i), i, round, 1 + round));
          file.add(measurement("leveldbjni", sequence.get(i), i, round, 4));
        }
      }
    }
  }

  private static Measurement measurement(
      String store, String benchmark, int position, int round, double micros) {
    return new Measurement(
        store,
        benchmark,
        position,
        round,
        round == 0,
        new Measurement.Timing(1, 100, micros, 0),
        "",
        new Latencies(1, 2, 3, 4, 5, 6, 7),
        new Footprint(24, 3 << 20, 2.5, -1, -1, 100 << 20));
  }

  @Test
  void report_run_hasTimesRatiosAndLevelDbsFigures() throws IOException {
    results("--db=a|b --pairs=2");
    assertThat(report(directory.toString())).as(out::toString).isZero();
    assertThat(Files.readString(directory.resolve("report.md")))
        .contains("2 * a processor", "| command | `--db=a\\|b --pairs=2` |")
        .contains("| benchmark | kv | leveldbjni | LevelDB, 2011 |\n|---|--:|--:|--:|\n")
        .contains("| fillseq | 2.500 (1.000) | 4.000 (4.000) | 1.765 |")
        .contains("| readrandom | 2.500 (1.000) | 4.000 (4.000) | 16.677 |")
        .contains("| readrandom#2 | 2.500 (1.000) | 4.000 (4.000) | 11.602 |")
        .contains("| fillseq | 0.63 (0.50-0.75) |")
        .contains("| fillseq | kv | 1.000 | 2.000 | 3.000 | 4.000 | 5.000 | 6.000 |")
        .contains("| write amplification | stalled ms | peak MB of the shared JVM |\n")
        .contains("| fillseq | kv | 24.0 | 3.0 | 2.5 | - | 100.0 |");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--cache_size=268435456", "--num 10 --cache_size 268435456 --pairs 2"})
  void report_runWithALargeCache_standsBesideLevelDbsWithOne(String command) throws IOException {
    results(command);
    assertThat(report(directory.toString())).isZero();
    assertThat(Files.readString(directory.resolve("report.md")))
        .contains("4.000 (4.000) | 9.775 |")
        .contains("4.000 (4.000) | 5.215 |");
  }

  @Test
  void report_writesAfterACompaction_standBesideThoseWithoutOne() throws IOException {
    results("", List.of("compact", "readseq", "fillsync", "compact", "overwrite", "readrandom"));
    assertThat(report(directory.toString())).isZero();
    assertThat(Files.readString(directory.resolve("report.md")))
        .contains("| readseq | 2.500 (1.000) | 4.000 (4.000) | 0.423 |")
        .contains("| fillsync | 2.500 (1.000) | 4.000 (4.000) | 268.409 |")
        .contains("| overwrite | 2.500 (1.000) | 4.000 (4.000) | 2.380 |")
        .contains("| readrandom | 2.500 (1.000) | 4.000 (4.000) | 16.677 |");
  }

  @Test
  void report_run_hasChartsInBothForms() throws IOException {
    results("");
    assertThat(report(directory.toString(), "--target=" + directory.resolve("out"))).isZero();
    Path charts = directory.resolve("out/charts");
    try (Stream<Path> files = Files.list(charts)) {
      assertThat(files)
          .extracting(file -> file.getFileName().toString())
          .containsExactlyInAnyOrder("run-2026-01-02.png", "run-2026-01-02.svg");
    }
    assertThat(ImageIO.read(charts.resolve("run-2026-01-02.png").toFile()).getWidth())
        .isEqualTo(2 * ChartLayout.WIDTH);
    assertThat(Files.readString(charts.resolve("run-2026-01-02.svg")))
        .startsWith("<svg ")
        .endsWith("</svg>\n")
        .contains("Time of kv divided by the time of each peer", "kv faster", "kv slower");
    assertThat(Files.readString(directory.resolve("out/report.md")))
        .contains("(charts/run-2026-01-02.svg)");
  }

  @Test
  void report_pairsThatLieFarApart_areMarked() throws IOException {
    RunInfo run = new RunInfo("2026-01-02", "a processor", "Linux", "17", "", "0.1");
    try (ResultFile file = ResultFile.create(directory, run)) {
      for (int round = 0; round < 3; round++) {
        file.add(measurement("kv", "fillseq", 0, round, 1 + 4 * round));
        file.add(measurement("leveldbjni", "fillseq", 0, round, 4));
      }
    }
    assertThat(report(directory.toString())).isZero();
    assertThat(Files.readString(directory.resolve("report.md")))
        .contains("| fillseq | 1.75 (1.25-2.25) ? |");
  }

  @Test
  void report_incompleteLastLine_isLeftOutWithANote() throws IOException {
    results("");
    Path file = directory.resolve("run-2026-01-02.jsonl");
    Files.writeString(file, "{\"type\":\"meas", StandardOpenOption.APPEND);
    assertThat(report(directory.toString())).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains(file + ": left out the last line, which is incomplete");
    assertThat(Files.readString(directory.resolve("report.md"))).contains("| fillseq | 2.500");
  }

  @Test
  void report_fileWithoutACompleteLine_isLeftOutWithANote() throws IOException {
    results("");
    Path file = Files.createFile(directory.resolve("run-2026-01-01.jsonl"));
    assertThat(report(directory.toString())).as(out::toString).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains(file + ": left out the last line, which is incomplete");
    assertThat(Files.readString(directory.resolve("report.md"))).contains("| fillseq | 2.500");
  }

  @Test
  void report_malformedLine_isNamedWithoutAStackTrace() throws IOException {
    results("");
    Path file = directory.resolve("run-2026-01-02.jsonl");
    Files.writeString(file, "\n", StandardOpenOption.APPEND);
    StringWriter errors = new StringWriter();
    int exit =
        new CommandLine(new ReportCommand(new PrintStream(out, true, StandardCharsets.UTF_8)))
            .setErr(new PrintWriter(errors))
            .execute(directory.toString());
    assertThat(exit).isEqualTo(1);
    assertThat(errors.toString()).isEmpty();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .startsWith(file + ", line 26: expected a JSON");
  }

  @Test
  void report_noResults_saysSo() {
    assertThat(report(directory.toString())).isEqualTo(1);
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("no result files");
  }
}
