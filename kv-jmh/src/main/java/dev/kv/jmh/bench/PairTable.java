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
  private static final int TITLE_WIDTH = 18;
  private static final int RATIO_WIDTH = 22;

  private final Summary summary;
  private final List<String> stores;
  private final List<String> peers;

  PairTable(Summary summary) {
    this.summary = summary;
    stores = summary.stores();
    peers = stores.subList(Math.min(1, stores.size()), stores.size());
  }

  /** Returns the lines: with one peer the ratios beside the times, with more below them. */
  String text() {
    boolean together = peers.size() <= 1;
    StringBuilder out = new StringBuilder();
    line(out, "micros/op", timesHead() + (together ? ratiosHead() : ""));
    for (Summary.Row row : summary.rows()) {
      line(out, row.title(), times(row) + (together ? ratios(row) : ""));
    }
    if (!together) {
      out.append('\n');
      line(out, "ratio", ratiosHead());
      for (Summary.Row row : summary.rows()) {
        line(out, row.title(), ratios(row));
      }
    }
    return out.toString();
  }

  private static void line(StringBuilder out, String title, String columns) {
    out.append((pad(title, TITLE_WIDTH) + columns).stripTrailing()).append('\n');
  }

  private String timesHead() {
    StringBuilder out = new StringBuilder();
    for (String store : stores) {
      out.append(String.format(Locale.ROOT, " %11s %11s", store, "(cold)"));
    }
    return out.toString();
  }

  private String times(Summary.Row row) {
    StringBuilder out = new StringBuilder();
    for (String store : stores) {
      out.append(number(row.warm(store))).append(number(row.cold(store)));
    }
    return out.toString();
  }

  private static String number(OptionalDouble micros) {
    return micros.isPresent()
        ? String.format(Locale.ROOT, " %11.3f", micros.getAsDouble())
        : String.format(Locale.ROOT, " %11s", "-");
  }

  private String ratiosHead() {
    StringBuilder out = new StringBuilder();
    for (String peer : peers) {
      out.append(pad(stores.get(0) + "/" + peer));
    }
    return out.toString();
  }

  private String ratios(Summary.Row row) {
    StringBuilder out = new StringBuilder();
    for (String peer : peers) {
      out.append(pad(ratio(row.ratios(stores.get(0), peer))));
    }
    return out.toString();
  }

  private static String ratio(double[] ratios) {
    if (ratios.length == 0) {
      return "-";
    }
    return String.format(
        Locale.ROOT,
        "%.2f [%.2f .. %.2f]",
        Medians.of(ratios),
        Arrays.stream(ratios).min().orElse(Double.NaN),
        Arrays.stream(ratios).max().orElse(Double.NaN));
  }

  private static String pad(String column) {
    return "   " + pad(column, RATIO_WIDTH);
  }

  private static String pad(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }
}
