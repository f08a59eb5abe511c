package dev.kv.jmh.report;

import dev.kv.jmh.result.ResultFile;
import dev.kv.jmh.result.RunInfo;
import dev.kv.jmh.result.Summary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Writes a report on the result files in a directory. */
final class BenchmarkReport {
  private static final String CHARTS = "charts";

  private final Path results;
  private final Path target;

  /**
   * Creates a report that reads {@code results}, and writes report.md and charts to {@code target}.
   */
  BenchmarkReport(Path results, Path target) {
    this.results = results;
    this.target = target;
  }

  /**
   * Writes the report and returns its file; {@code notes} get what is left out.
   *
   * @throws IllegalArgumentException if a line of a result file is malformed
   */
  Path write(Consumer<String> notes) throws IOException {
    Files.createDirectories(target);
    StringBuilder out = new StringBuilder("# Benchmarks\n");
    for (Path file : resultFiles()) {
      ResultFile.Contents contents = ResultFile.read(file);
      if (contents.cut()) {
        notes.accept(file + ": left out the last line, which is incomplete");
      }
      RunInfo run = contents.run();
      if (run != null && !contents.measurements().isEmpty()) {
        RunSection section = new RunSection(run, contents.measurements());
        out.append('\n').append(section.markdown(charts(file, section.summary())));
      }
    }
    Path report = target.resolve("report.md");
    Files.writeString(report, out);
    return report;
  }

  /** Returns the result files in the order of their names, which is the order of their dates. */
  List<Path> resultFiles() throws IOException {
    if (!Files.isDirectory(results)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(results)) {
      return files.filter(file -> file.toString().endsWith(ResultFile.SUFFIX)).sorted().toList();
    }
  }

  /** Draws the charts and returns the link to them. */
  private String charts(Path file, Summary summary) throws IOException {
    String name = file.getFileName().toString().replace(ResultFile.SUFFIX, "");
    Charts.write(Charts.of(summary), target.resolve(CHARTS), name);
    return "\n![Time per operation of each store in "
        + name
        + "]("
        + CHARTS
        + "/"
        + name
        + ".svg)\n";
  }
}
