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
      Pattern.compile("(N) \\((N)-(N)\\)( [?])?".replace("N", "[0-9]+(?:[.][0-9]+)?"));

  private TableCharts() {}

  /**
   * Draws all charts of {@code document} beside it, and returns their names.
   *
   * @throws IllegalArgumentException if a table is malformed; the message names the document and
   *     the line
   */
  static List<String> write(Path document) throws IOException {
    Map<String, Chart> charts;
    try {
      charts = read(Files.readString(document));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(document + ", " + e.getMessage(), e);
    }
    Path directory = Objects.requireNonNull(document.toAbsolutePath().getParent(), "document");
    for (Map.Entry<String, Chart> chart : charts.entrySet()) {
      Charts.write(chart.getValue(), directory, chart.getKey());
    }
    return List.copyOf(charts.keySet());
  }

  /**
   * Returns the charts by the names of their pictures.
   *
   * @throws IllegalArgumentException if a table is malformed; the message names the line
   */
  static Map<String, Chart> read(String document) {
    Map<String, Chart> charts = new LinkedHashMap<>();
    Matcher found = TABLE_AND_PICTURE.matcher(document);
    while (found.find()) {
      List<String> lines = found.group(1).lines().toList();
      int number = 1 + (int) document.substring(0, found.start()).lines().count();
      List<String> heads = List.of();
      List<Chart.Row> rows = new ArrayList<>();
      for (int i = 0; i < lines.size(); i++) {
        try {
          List<String> cells = cells(lines.get(i));
          if (i == 0) {
            heads = cells;
          } else if (cells.size() != heads.size()) {
            throw new IllegalArgumentException(
                cells.size() + " cells under " + heads.size() + " heads");
          } else if (i > 1) {
            rows.add(row(cells));
          }
        } catch (IllegalArgumentException e) {
          throw new IllegalArgumentException("line " + (number + i) + ": " + e.getMessage(), e);
        }
      }
      charts.put(
          found.group(3),
          Charts.comparison(found.group(2), "kv", heads.subList(1, heads.size()), rows));
    }
    return charts;
  }

  private static List<String> cells(String line) {
    int end = line.lastIndexOf('|');
    if (end == 0) {
      throw new IllegalArgumentException("no cell: " + line);
    }
    return Arrays.stream(line.substring(1, end).split("[|]", -1)).map(String::strip).toList();
  }

  private static Chart.Row row(List<String> cells) {
    List<@Nullable Spread> values = new ArrayList<>();
    for (String cell : cells.subList(1, cells.size())) {
      values.add(value(cell));
    }
    return new Chart.Row(cells.get(0), values);
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
