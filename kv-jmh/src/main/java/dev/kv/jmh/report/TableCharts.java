package dev.kv.jmh.report;

import dev.kv.jmh.result.Spread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The charts of a document, drawn from its own tables, so that text and pictures show the same. A
 * table of ratios that a picture follows belongs to it: its first head is {@code benchmark}, its
 * cells are {@code median (least-greatest)}, and the text of the picture is the title.
 */
final class TableCharts {
  private static final Pattern TABLE_AND_PICTURE =
      Pattern.compile("((?:^\\|.*\\n)+)\\n!\\[([^]]*)]\\(([\\w-]+)[.]png\\)", Pattern.MULTILINE);
  private static final Pattern RATIO =
      Pattern.compile("([0-9.]+) \\(([0-9.]+)-([0-9.]+)\\)( [?])?");

  private TableCharts() {}

  /** Draws all charts of {@code document} beside it, and returns their names. */
  static List<String> write(Path document) throws IOException {
    Map<String, Chart> charts = read(Files.readString(document));
    Path directory = Objects.requireNonNull(document.toAbsolutePath().getParent(), "document");
    for (Map.Entry<String, Chart> chart : charts.entrySet()) {
      Charts.write(chart.getValue(), directory, chart.getKey());
    }
    return List.copyOf(charts.keySet());
  }

  /**
   * Returns the charts by the names of their pictures.
   *
   * @throws IllegalArgumentException if a cell is neither a ratio nor without digits
   */
  static Map<String, Chart> read(String document) {
    Map<String, Chart> charts = new LinkedHashMap<>();
    Matcher found = TABLE_AND_PICTURE.matcher(document);
    while (found.find()) {
      List<String> lines = found.group(1).lines().toList();
      List<String> heads = cells(lines.get(0));
      List<Chart.Row> rows = new ArrayList<>();
      for (String line : lines.subList(2, lines.size())) {
        List<String> cells = cells(line);
        List<@Nullable Spread> values = new ArrayList<>();
        for (String cell : cells.subList(1, cells.size())) {
          values.add(value(cell));
        }
        rows.add(new Chart.Row(cells.get(0), values));
      }
      charts.put(
          found.group(3),
          Charts.comparison(found.group(2), "kv", heads.subList(1, heads.size()), rows));
    }
    return charts;
  }

  private static List<String> cells(String line) {
    return Arrays.stream(line.substring(1, line.lastIndexOf('|')).split("[|]"))
        .map(String::strip)
        .toList();
  }

  private static @Nullable Spread value(String cell) {
    Matcher ratio = RATIO.matcher(cell);
    if (!ratio.matches()) {
      if (cell.matches(".*[0-9].*")) {
        throw new IllegalArgumentException("no ratio: " + cell);
      }
      return null;
    }
    return new Spread(
        Double.parseDouble(ratio.group(2)),
        Double.parseDouble(ratio.group(1)),
        Double.parseDouble(ratio.group(3)));
  }
}
