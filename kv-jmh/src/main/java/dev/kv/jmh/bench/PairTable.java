package dev.kv.jmh.bench;

import dev.kv.jmh.result.Medians;
import dev.kv.jmh.result.Summary;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * The end of a run in turns: per benchmark the median of each store, and the median of the first
 * store's ratios to each other one, pair by pair, with the least and the greatest of them.
 */
final class PairTable {
  private final Summary summary;

  PairTable(Summary summary) {
    this.summary = summary;
  }

  /** Returns the lines. */
  String text() {
    StringBuilder out = new StringBuilder();
    List<String> stores = summary.stores();
    out.append(String.format(Locale.ROOT, "%-18s", "micros/op"));
    for (String store : stores) {
      out.append(String.format(Locale.ROOT, " %11s %11s", store, "(cold)"));
    }
    for (String peer : stores.subList(Math.min(1, stores.size()), stores.size())) {
      out.append(String.format(Locale.ROOT, "   %-24s", stores.get(0) + "/" + peer));
    }
    out.append('\n');
    for (Summary.Row row : summary.rows()) {
      out.append(line(row, stores).stripTrailing()).append('\n');
    }
    return out.toString();
  }

  private static String line(Summary.Row row, List<String> stores) {
    StringBuilder out = new StringBuilder(String.format(Locale.ROOT, "%-18s", row.title()));
    for (String store : stores) {
      out.append(number(row.warm(store))).append(number(row.cold(store)));
    }
    for (String peer : stores.subList(1, stores.size())) {
      double[] ratios = row.ratios(stores.get(0), peer);
      out.append(String.format(Locale.ROOT, "   %-24s", ratio(ratios)));
    }
    return out.toString();
  }

  private static String number(OptionalDouble micros) {
    return micros.isPresent()
        ? String.format(Locale.ROOT, " %11.3f", micros.getAsDouble())
        : String.format(Locale.ROOT, " %11s", "-");
  }

  private static String ratio(double[] ratios) {
    if (ratios.length == 0) {
      return "-";
    }
    return String.format(
        Locale.ROOT,
        "%.2f  [%.2f .. %.2f]",
        Medians.of(ratios),
        Arrays.stream(ratios).min().orElse(Double.NaN),
        Arrays.stream(ratios).max().orElse(Double.NaN));
  }
}
