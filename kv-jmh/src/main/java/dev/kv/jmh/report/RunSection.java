package dev.kv.jmh.report;

import dev.kv.jmh.result.Latencies;
import dev.kv.jmh.result.Measurement;
import dev.kv.jmh.result.RunInfo;
import dev.kv.jmh.result.Spread;
import dev.kv.jmh.result.Summary;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The section of the report on one run: the machine and the command, tables and charts. */
final class RunSection {
  private static final Pattern CACHE_SIZE = Pattern.compile("--cache_size[= ](\\d+)");
  private static final long LARGE_CACHE = 128L << 20;
  private static final String FOOTPRINTS =
      "Medians of the warm rounds. The last three columns are of each benchmark alone. Its write"
          + " amplification includes compactions that the one before left over, and its peak is"
          + " that of the JVM, which all stores share.\n\n";

  private final RunInfo run;
  private final Summary summary;
  private final boolean cached;

  RunSection(RunInfo run, List<Measurement> measurements) {
    this.run = run;
    summary = Summary.of(measurements);
    Matcher cache = CACHE_SIZE.matcher(run.command());
    cached = cache.find() && Long.parseLong(cache.group(1)) >= LARGE_CACHE;
  }

  Summary summary() {
    return summary;
  }

  /** Returns the section; {@code charts} is the text with the links to the charts. */
  String markdown(String charts) {
    return "## Run of "
        + run.date()
        + "\n\n"
        + about()
        + "\n### Time\n\n"
        + "Microseconds per operation: the median of the warm rounds, and in parentheses the first"
        + " run in the JVM. A dash means that the store does not have the benchmark or failed in"
        + " it.\n\n"
        + times()
        + section("Ratios", ratioText(), ratios())
        + charts
        + section(
            "Percentiles",
            "Microseconds of single operations in the warm rounds.\n\n",
            percentiles())
        + section("Memory and disk", FOOTPRINTS, footprints());
  }

  private String about() {
    MarkdownTable table = new MarkdownTable(List.of("", "this run"));
    table.add(List.of("machine", run.machine()));
    table.add(List.of("system", run.system()));
    table.add(List.of("java", run.java()));
    table.add(List.of("kv", run.version()));
    table.add(List.of("command", "`" + run.command() + "`"));
    return table.toString();
  }

  private static String section(String title, String text, MarkdownTable table) {
    return table.isEmpty() ? "" : "\n### " + title + "\n\n" + text + table;
  }

  private MarkdownTable times() {
    List<String> heads = new ArrayList<>(List.of("benchmark"));
    heads.addAll(summary.stores());
    heads.add("LevelDB, 2011");
    MarkdownTable table = new MarkdownTable(heads);
    boolean compacted = false;
    for (Summary.Row row : summary.rows()) {
      String benchmark = row.measurements().get(0).benchmark();
      List<String> cells = new ArrayList<>(List.of(row.title()));
      for (String store : summary.stores()) {
        cells.add(time(row.warm(store), row.cold(store)));
      }
      compacted = BenchmarkText.compacted(benchmark, compacted);
      cells.add(number(Published.micros(benchmark, compacted, cached)));
      table.add(cells);
    }
    return table;
  }

  private static String time(OptionalDouble warm, OptionalDouble cold) {
    if (warm.isEmpty() && cold.isEmpty()) {
      return "-";
    }
    return cold.isEmpty() ? number(warm) : (number(warm) + " (" + number(cold) + ")");
  }

  private String ratioText() {
    return "The time of "
        + summary.stores().get(0)
        + " as a multiple of the peer's time: the median of the pairs, and their range. The pairs"
        + " of a ratio with a `?` lie too far apart to trust the median.\n\n";
  }

  private MarkdownTable ratios() {
    List<String> peers = summary.stores().stream().skip(1).toList();
    List<String> heads = new ArrayList<>(List.of("benchmark"));
    heads.addAll(peers);
    MarkdownTable table = new MarkdownTable(heads);
    for (Summary.Row row : peers.isEmpty() ? List.<Summary.Row>of() : summary.rows()) {
      List<String> cells = new ArrayList<>(List.of(row.title()));
      for (String peer : peers) {
        cells.add(ratio(row.ratio(summary.stores().get(0), peer)));
      }
      table.add(cells);
    }
    return table;
  }

  private static String ratio(@Nullable Spread ratio) {
    if (ratio == null) {
      return "-";
    }
    String mark = ratio.isWide() ? " ?" : "";
    return String.format(Locale.ROOT, "%.2f (%s)%s", ratio.median(), ratio.range(), mark);
  }

  private MarkdownTable percentiles() {
    MarkdownTable table =
        new MarkdownTable(
            List.of("benchmark", "store", "p50", "p95", "p99", "p99.9", "p99.99", "max"));
    for (Summary.Row row : summary.rows()) {
      for (String store : summary.stores()) {
        if (row.measurements().stream()
            .anyMatch(m -> m.store().equals(store) && m.latencies() != null)) {
          table.add(
              List.of(
                  row.title(),
                  store,
                  latency(row, store, Latencies::p50),
                  latency(row, store, Latencies::p95),
                  latency(row, store, Latencies::p99),
                  latency(row, store, Latencies::p999),
                  latency(row, store, Latencies::p9999),
                  latency(row, store, Latencies::max)));
        }
      }
    }
    return table;
  }

  private static String latency(Summary.Row row, String store, ToDoubleFunction<Latencies> figure) {
    return number(
        row.settled(
            store,
            m -> {
              Latencies latencies = m.latencies();
              return latencies == null ? Double.NaN : figure.applyAsDouble(latencies);
            }));
  }

  private MarkdownTable footprints() {
    MarkdownTable table =
        new MarkdownTable(
            List.of(
                "benchmark",
                "store",
                "heap B/op",
                "disk MB",
                "write amplification",
                "stalled ms",
                "peak MB of the shared JVM"));
    for (Summary.Row row : summary.rows()) {
      for (String store : summary.stores()) {
        if (row.measurements().stream().anyMatch(m -> m.store().equals(store))) {
          table.add(
              List.of(
                  row.title(),
                  store,
                  figure(row, store, 1, m -> m.footprint().allocatedPerOp()),
                  figure(row, store, 1 << 20, m -> m.footprint().diskBytes()),
                  figure(row, store, 1, m -> m.footprint().writeAmplification()),
                  figure(row, store, 1000, m -> m.footprint().stallMicros()),
                  figure(row, store, 1 << 20, m -> m.footprint().peakResidentBytes())));
        }
      }
    }
    return table;
  }

  /** Returns a figure as text; a negative figure is unknown. */
  private static String figure(
      Summary.Row row, String store, double unit, ToDoubleFunction<Measurement> figure) {
    OptionalDouble value = row.settled(store, figure);
    return value.isEmpty() || value.getAsDouble() < 0
        ? "-"
        : String.format(Locale.ROOT, "%.1f", value.getAsDouble() / unit);
  }

  private static String number(OptionalDouble micros) {
    return micros.isEmpty() || Double.isNaN(micros.getAsDouble())
        ? "-"
        : String.format(Locale.ROOT, "%.3f", micros.getAsDouble());
  }
}
