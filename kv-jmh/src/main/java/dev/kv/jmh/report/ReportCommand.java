package dev.kv.jmh.report;

import dev.kv.jmh.result.ResultFile;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command {@code report}. Its exit code is 1 if there are no results or no document, or if a
 * result file or a table of the document is malformed.
 */
@Command(
    name = "report",
    mixinStandardHelpOptions = true,
    description = "Writes tables and charts of the files that db_bench --output wrote.")
public final class ReportCommand implements Callable<Integer> {
  private final PrintStream out;

  @Parameters(
      arity = "0..1",
      paramLabel = "DIR",
      description = "The directory of the result files; default the working directory.")
  Path results = Path.of(".");

  @Option(
      names = "--target",
      paramLabel = "DIR",
      description = "The directory of the report; default that of the result files.")
  @Nullable Path target;

  @Option(
      names = "--charts-of",
      paramLabel = "DOCUMENT",
      description = "Only draw the pictures of this document's tables again, beside it.")
  @Nullable Path document;

  /** Creates a command that prints to {@code out}. */
  public ReportCommand(PrintStream out) {
    this.out = out;
  }

  @Override
  public Integer call() throws IOException {
    System.setProperty("java.awt.headless", "true");
    try {
      return document == null ? report() : charts(document);
    } catch (IllegalArgumentException e) {
      out.println(e.getMessage());
      return 1;
    }
  }

  private int charts(Path document) throws IOException {
    if (!Files.isRegularFile(document)) {
      out.println("no document " + document);
      return 1;
    }
    TableCharts.write(document).forEach(out::println);
    return 0;
  }

  private int report() throws IOException {
    BenchmarkReport report = new BenchmarkReport(results, target == null ? results : target);
    if (report.resultFiles().isEmpty()) {
      out.println("no result files (*" + ResultFile.SUFFIX + ") in " + results);
      return 1;
    }
    out.println(report.write(out::println));
    return 0;
  }
}
