package dev.kv.jmh.bench;

import dev.kv.jmh.result.Spread;
import dev.kv.jmh.result.Summary;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * The table at the end of a run of several stores. It has for each benchmark the median of each
 * store, and the time of the first store as a multiple of each peer's: the median of the pairs, and
 * their range. A warning follows if pairs lie too far apart to trust a median.
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

  /** Returns the lines. With one peer the ratios are beside the times, with more below them. */
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
    return out.append(warning()).toString();
  }

  /** Returns the lines of the warning; they are empty if all pairs are close together. */
  private String warning() {
    StringBuilder out = new StringBuilder();
    for (Summary.Row row : summary.rows()) {
      for (String peer : peers) {
        Spread ratio = row.ratio(stores.get(0), peer);
        if (ratio != null && ratio.isWide()) {
          String range = ratio.range().replace("-", " to ");
          out.append("  " + row.title() + ", " + stores.get(0) + "/" + peer + ": " + range + "\n");
        }
      }
    }
    return out.isEmpty()
        ? ""
        : "\n"
            + "Warning: the ratios of these pairs lie too far apart to trust the median. Run"
            + " again on an idle machine, or with more --pairs.\n"
            + out;
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
      out.append(pad(ratio(row.ratio(stores.get(0), peer))));
    }
    return out.toString();
  }

  private static String ratio(@Nullable Spread ratio) {
    return ratio == null
        ? "-"
        : String.format(
            Locale.ROOT, "%.2f [%.2f .. %.2f]", ratio.median(), ratio.least(), ratio.greatest());
  }

  private static String pad(String column) {
    return "   " + pad(column, RATIO_WIDTH);
  }

  private static String pad(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }
}
