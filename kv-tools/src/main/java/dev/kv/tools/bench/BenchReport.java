package dev.kv.tools.bench;

import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.tools.console.Output;
import dev.kv.tools.text.Json;
import dev.kv.tools.text.Printable;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Prints each result as soon as it is measured, as a row of a table or as a JSON object on a line.
 */
final class BenchReport {
  private final boolean json;
  private final Output out;
  private final Map<String, Object> setup = new LinkedHashMap<>();

  BenchReport(boolean json, Output out) {
    this.json = json;
    this.out = out;
  }

  /** Says what is measured: in the head of the table, or in every object. */
  void begin(Path directory, Options options, int num, int keySize, int valueSize) {
    String version = BenchReport.class.getPackage().getImplementationVersion();
    FilterPolicy filter = options.filterPolicy();
    setup.put("kv", version == null ? "(not from a jar)" : version);
    setup.put("entries", num);
    setup.put("keyBytes", keySize);
    setup.put("valueBytes", valueSize);
    setup.put("compression", options.compression().name().toLowerCase(Locale.ROOT));
    setup.put("filter", filter == null ? "none" : filter.name());
    setup.put("cacheBytes", options.blockCacheSize());
    setup.put("directory", directory.toString());
    setup.put("java", Runtime.version().toString());
    setup.put("machine", System.getProperty("os.name") + " " + System.getProperty("os.arch"));
    setup.put("processors", Runtime.getRuntime().availableProcessors());
    if (!json) {
      setup.forEach(
          (name, value) ->
              out.line(
                  String.format(Locale.ROOT, "%-12s %s", name, Printable.of(value.toString()))));
      out.line("");
      out.line(
          "benchmark      micros/op        ops/s      MiB/s    p50 us    p99 us  p99.9 us    max"
              + " us");
      out.flush();
    }
  }

  /** Prints a result. */
  void add(BenchResult result) {
    out.line(json ? Json.of(members(result)) : row(result));
    out.flush();
  }

  private Map<String, Object> members(BenchResult result) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("benchmark", result.name());
    members.put("operations", result.operations());
    members.put("microsPerOperation", rounded(result.microsPerOperation()));
    members.put("bytesPerSecond", Math.round(result.bytesPerSecond()));
    members.put("found", result.found());
    members.put("p50Micros", rounded(result.micros(50)));
    members.put("p99Micros", rounded(result.micros(99)));
    members.put("p99.9Micros", rounded(result.micros(99.9)));
    members.put("p100Micros", rounded(result.micros(100)));
    members.putAll(setup);
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
            result.bytesPerSecond() / (1 << 20),
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
