package dev.kv.tools.report;

import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.core.inspect.DatabaseFile;
import dev.kv.core.inspect.ManifestEdit;
import dev.kv.core.inspect.StoredKey;
import dev.kv.tools.text.Utf8Text;
import dev.kv.tools.verify.Tree;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * The tables of each level along the key space, as SVG. The keys at which tables begin and end
 * stand at equal distances. A table of level 0 has a row of its own.
 */
final class LevelChart {
  private static final int WIDTH = 960;
  private static final int LEFT = 70;
  private static final int ROW = 22;
  private static final int MAX_ROWS = 40;

  private final List<byte[]> keys = new ArrayList<>();
  private final DBComparator order;
  private final StringBuilder svg = new StringBuilder();
  private int row;

  private LevelChart(DBComparator order) {
    this.order = order;
  }

  static String of(Tree tree, DBComparator order) {
    return new LevelChart(order).draw(tree);
  }

  private String draw(Tree tree) {
    StoredKey.Order internal = new StoredKey.Order(order);
    long largest = 1;
    for (int level = 0; level < DatabaseFile.LEVELS; level++) {
      for (ManifestEdit.NewTable table : tree.tables(level, internal)) {
        keys.add(table.smallestUserKey());
        keys.add(table.largestUserKey());
        largest = Math.max(largest, table.size());
      }
    }
    keys.sort(this::compare);
    for (int i = keys.size() - 1; i > 0; i--) {
      if (compare(keys.get(i), keys.get(i - 1)) == 0) {
        keys.remove(i);
      }
    }
    for (int level = 0; level < DatabaseFile.LEVELS; level++) {
      List<ManifestEdit.NewTable> tables = tree.tables(level, internal);
      if (tables.isEmpty()) {
        continue;
      }
      label("level " + level);
      for (ManifestEdit.NewTable table : tables) {
        rectangle(table, largest);
        row += level == 0 && row < MAX_ROWS ? 1 : 0;
      }
      row += level == 0 ? 0 : 1;
    }
    int height = Math.max(1, row) * ROW + 8;
    return "<svg role=\"img\" aria-label=\"tables along the key space\" viewBox=\"0 0 "
        + WIDTH
        + " "
        + height
        + "\">"
        + svg
        + "</svg>";
  }

  private int compare(byte[] a, byte[] b) {
    return order.compare(Slice.of(a), Slice.of(b));
  }

  private double x(byte[] key) {
    int rank = Collections.binarySearch(keys, key, this::compare);
    return LEFT + (double) (WIDTH - LEFT - 4) * Math.max(0, rank) / Math.max(1, keys.size() - 1);
  }

  private void label(String text) {
    svg.append("<text x=\"0\" y=\"").append(row * ROW + 16).append("\">");
    svg.append(text).append("</text>");
  }

  private void rectangle(ManifestEdit.NewTable table, long largest) {
    double from = x(table.smallestUserKey());
    double width = Math.max(3, x(table.largestUserKey()) - from - 1);
    svg.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\" opacity=\"%.2f\">",
            Math.min(from, WIDTH - 4),
            row * ROW + 3,
            width,
            ROW - 4,
            0.4 + 0.6 * table.size() / largest));
    svg.append("<title>table ").append(table.number()).append(", ");
    svg.append(ReportPage.bytes(table.size())).append(", from ");
    svg.append(ReportPage.escape(Utf8Text.of(table.smallestUserKey()))).append(" to ");
    svg.append(ReportPage.escape(Utf8Text.of(table.largestUserKey()))).append("</title></rect>");
  }
}
