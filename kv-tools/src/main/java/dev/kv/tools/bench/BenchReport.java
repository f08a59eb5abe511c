package dev.kv.tools.bench;

import dev.kv.tools.console.Output;
import dev.kv.tools.text.Json;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Prints each result as soon as it is measured, as a row of a table or as a JSON object on a line.
 */
final class BenchReport {
  private final boolean json;
  private final Output out;

  BenchReport(boolean json, Output out) {
    this.json = json;
    this.out = out;
  }

  /** Prints the head of the table. */
  void begin(int num, int keySize, int valueSize) {
    if (!json) {
      out.line(
          String.format(
              Locale.ROOT,
              "%d entries of %d + %d bytes, java %s, %s",
              num,
              keySize,
              valueSize,
              Runtime.version().feature(),
              System.getProperty("os.arch")));
      out.line(
          "benchmark      micros/op        ops/s       MB/s    p50 us    p99 us  p99.9 us    max"
              + " us");
      out.flush();
    }
  }

  /** Prints a result. */
  void add(BenchResult result) {
    out.line(json ? Json.of(members(result)) : row(result));
    out.flush();
  }

  private static Map<String, Object> members(BenchResult result) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("benchmark", result.name());
    members.put("operations", result.operations());
    members.put("microsPerOperation", rounded(result.microsPerOperation()));
    members.put("megabytesPerSecond", rounded(result.megabytesPerSecond()));
    members.put("found", result.found());
    members.put("p50Micros", rounded(result.micros(50)));
    members.put("p99Micros", rounded(result.micros(99)));
    members.put("p99.9Micros", rounded(result.micros(99.9)));
    members.put("p100Micros", rounded(result.micros(100)));
    return members;
  }

  private static String row(BenchResult result) {
    String row =
        String.format(
            Locale.ROOT,
            "%-12s %11.3f %12.0f %10.1f %9.1f %9.1f %9.1f %9.1f",
            result.name(),
            result.microsPerOperation(),
            result.operationsPerSecond(),
            result.megabytesPerSecond(),
            result.micros(50),
            result.micros(99),
            result.micros(99.9),
            result.micros(100));
    return result.name().startsWith("read")
        ? row + "  (" + result.found() + " of " + result.operations() + " found)"
        : row;
  }

  private static double rounded(double value) {
    return Math.round(value * 1000) / 1000.0;
  }
}
