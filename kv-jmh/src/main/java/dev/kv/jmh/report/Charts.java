package dev.kv.jmh.report;

import dev.kv.jmh.result.Spread;
import dev.kv.jmh.result.Summary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;

/**
 * Draws a run as PNG and SVG. With several stores, a dot is the median over the pairs of the first
 * store's time divided by the time of another one, as in the tables, and a line the range of the
 * pairs. With one store, it is the time itself over the rounds.
 */
final class Charts {
  private Charts() {}

  /** Draws {@code chart} to {@code name}.png and {@code name}.svg in {@code directory}. */
  static void write(Chart chart, Path directory, String name) throws IOException {
    Files.createDirectories(directory);
    ChartLayout layout = new ChartLayout(chart);
    Files.writeString(directory.resolve(name + ".svg"), SvgImage.of(layout));
    ImageIO.write(PngImage.of(layout), "png", directory.resolve(name + ".png").toFile());
  }

  /** Returns the chart of a run. */
  static Chart of(Summary summary) {
    List<String> stores = summary.stores();
    String first = stores.get(0);
    boolean isAlone = stores.size() == 1;
    List<String> shown = isAlone ? stores : stores.subList(1, stores.size());
    List<Chart.Row> rows = new ArrayList<>();
    for (Summary.Row row : summary.rows()) {
      List<Spread> values = new ArrayList<>();
      for (String store : shown) {
        values.add(isAlone ? row.times(store) : row.ratio(first, store));
      }
      rows.add(new Chart.Row(row.title(), values));
    }
    List<String> titles = shown.stream().map(StoreStyle::titleOf).toList();
    return isAlone
        ? new Chart(
            "Time per operation of " + first,
            "Microseconds per operation, on a logarithmic axis. Less is faster.",
            false,
            titles,
            rows,
            notes(titles, rows, "rounds"))
        : comparison("Time of " + first + " divided by the time of each peer", first, titles, rows);
  }

  /** Returns the chart of the times of a store divided by those of others. */
  static Chart comparison(String title, String first, List<String> peers, List<Chart.Row> rows) {
    return new Chart(
        title,
        "Time of "
            + first
            + " divided by the peer's time, on a logarithmic axis: at 0.5, "
            + first
            + " takes half the time.",
        true,
        peers,
        rows,
        notes(peers, rows, "pairs of runs"));
  }

  /** Explains the marks, and why a store has no dot in a row. */
  private static List<String> notes(List<String> stores, List<Chart.Row> rows, String samples) {
    List<String> notes = new ArrayList<>();
    notes.add(
        "A dot is the median of the "
            + samples
            + ", a line their range; a hollow dot has a wide range.");
    boolean missing = rows.stream().anyMatch(row -> row.values().stream().anyMatch(v -> v == null));
    if (missing && !stores.isEmpty()) {
      notes.add("No dot: the store does not have the benchmark, or was not measured in it.");
    }
    return notes;
  }
}
