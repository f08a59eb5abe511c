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
 * Draws a run as PNG and SVG. With several stores, a dot is the median over the pairs of the time
 * of a store as a multiple of the first store's time, and a line the range of the pairs. With one
 * store, it is the time itself over the rounds.
 */
final class Charts {
  private Charts() {}

  /** Draws {@code summary} to {@code name}.png and {@code name}.svg in {@code directory}. */
  static void write(Summary summary, Path directory, String name) throws IOException {
    Files.createDirectories(directory);
    ChartLayout layout = new ChartLayout(chart(summary));
    Files.writeString(directory.resolve(name + ".svg"), SvgImage.of(layout));
    ImageIO.write(PngImage.of(layout), "png", directory.resolve(name + ".png").toFile());
  }

  /** Returns the chart of a run. */
  static Chart chart(Summary summary) {
    List<String> stores = summary.stores();
    String first = stores.get(0);
    boolean isAlone = stores.size() == 1;
    List<String> shown = isAlone ? stores : stores.subList(1, stores.size());
    List<Chart.Row> rows = new ArrayList<>();
    for (Summary.Row row : summary.rows()) {
      List<Spread> values = new ArrayList<>();
      for (String store : shown) {
        Spread value = isAlone ? row.times(store) : row.ratio(first, store);
        values.add(value == null || isAlone ? value : value.inverse());
      }
      rows.add(new Chart.Row(row.title(), values));
    }
    return isAlone
        ? new Chart(
            "Time per operation of " + first,
            "Microseconds per operation, on a logarithmic axis. Less is faster.",
            shown,
            rows,
            notes(shown, rows, "rounds"))
        : new Chart(
            "Time per operation compared with " + first,
            "Time as a multiple of the time of "
                + first
                + ", on a logarithmic axis. Right of 1: slower than "
                + first
                + ". Left of 1: faster.",
            shown,
            rows,
            notes(shown, rows, "pairs"));
  }

  /** Explains the marks, and why a store has no dot in a row. */
  private static List<String> notes(List<String> stores, List<Chart.Row> rows, String samples) {
    List<String> notes = new ArrayList<>();
    notes.add("A dot is the median of the " + samples + ", a line their range.");
    for (int i = 0; i < stores.size(); i++) {
      List<String> missing = new ArrayList<>();
      for (Chart.Row row : rows) {
        if (row.values().get(i) == null) {
          missing.add(row.title());
        }
      }
      if (!missing.isEmpty()) {
        notes.add(
            "No dot for "
                + stores.get(i)
                + ", which does not have the benchmark or failed in it: "
                + String.join(", ", missing)
                + ".");
      }
    }
    return notes;
  }
}
