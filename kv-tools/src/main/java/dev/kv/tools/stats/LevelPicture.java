package dev.kv.tools.stats;

import dev.kv.bytes.Escape;
import dev.kv.core.inspect.DatabaseFile;
import dev.kv.core.inspect.ManifestEdit;
import dev.kv.core.inspect.StoredKey;
import dev.kv.tools.verify.Tree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/**
 * The tree as lines of text. The first and last keys of tables have equal distances, so the picture
 * shows which tables overlap, not how many keys lie between.
 */
final class LevelPicture {
  private static final double MIB = 1 << 20;
  private static final int LONGEST_KEY = 30;

  private final Tree tree;
  private final StoredKey.Order order;
  private final int width;
  private final List<byte[]> bounds;

  LevelPicture(Tree tree, StoredKey.Order order, int width) {
    this.tree = tree;
    this.order = order;
    this.width = width;
    TreeSet<byte[]> keys = new TreeSet<>(order.userKeys());
    for (int level = 0; level < DatabaseFile.LEVELS; level++) {
      for (ManifestEdit.NewTable table : tree.tables(level, order)) {
        keys.add(table.smallestUserKey());
        keys.add(table.largestUserKey());
      }
    }
    bounds = new ArrayList<>(keys);
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("level  files        MiB");
    for (int level = 0; level < DatabaseFile.LEVELS; level++) {
      List<ManifestEdit.NewTable> tables = tree.tables(level, order);
      if (tables.isEmpty()) {
        continue;
      }
      lines.add(head(level, tables));
      if (level == 0) {
        for (ManifestEdit.NewTable table : tables) {
          lines.add(String.format(Locale.ROOT, "%12d  %s", table.number(), draw(List.of(table))));
        }
      } else {
        lines.add(String.format(Locale.ROOT, "%12s  %s", "", draw(tables)));
      }
    }
    if (bounds.isEmpty()) {
      lines.add("no tables");
    } else {
      lines.add("keys from " + text(bounds.get(0)) + " to " + text(bounds.get(bounds.size() - 1)));
    }
    return lines;
  }

  private static String head(int level, List<ManifestEdit.NewTable> tables) {
    long bytes = tables.stream().mapToLong(ManifestEdit.NewTable::size).sum();
    return String.format(Locale.ROOT, "%5d  %5d  %9.1f", level, tables.size(), bytes / MIB);
  }

  private String draw(List<ManifestEdit.NewTable> tables) {
    char[] cells = new char[width];
    Arrays.fill(cells, ' ');
    for (ManifestEdit.NewTable table : tables) {
      int from = column(table.smallestUserKey());
      int to = column(table.largestUserKey());
      if (from == to) {
        cells[from] = cells[from] == ' ' ? '|' : '#';
        continue;
      }
      // The previous table may end in the column in which this one begins.
      cells[from] = cells[from] == ' ' ? '[' : '#';
      Arrays.fill(cells, from + 1, to, '-');
      cells[to] = ']';
    }
    return "|" + String.valueOf(cells) + "|";
  }

  private int column(byte[] key) {
    int low = 0;
    int high = bounds.size() - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (order.userKeys().compare(bounds.get(middle), key) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return bounds.size() == 1 ? 0 : (int) ((long) low * (width - 1) / (bounds.size() - 1));
  }

  private static String text(byte[] key) {
    byte[] head = Arrays.copyOf(key, Math.min(key.length, LONGEST_KEY));
    while (Escape.bytes(head).length() > LONGEST_KEY) { // which cuts no escape
      head = Arrays.copyOf(head, head.length - 1);
    }
    return "'" + Escape.bytes(head) + (head.length < key.length ? "..." : "") + "'";
  }
}
