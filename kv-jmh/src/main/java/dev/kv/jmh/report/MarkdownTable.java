package dev.kv.jmh.report;

import java.util.ArrayList;
import java.util.List;

/** A table in Markdown: the first column to the left, the others to the right. */
final class MarkdownTable {
  private final List<List<String>> rows = new ArrayList<>();

  MarkdownTable(List<String> heads) {
    rows.add(List.copyOf(heads));
  }

  /** Adds a row; it must have as many cells as there are heads. */
  void add(List<String> cells) {
    if (cells.size() != rows.get(0).size()) {
      throw new IllegalArgumentException(
          cells.size() + " cells under " + rows.get(0).size() + " heads: " + cells);
    }
    rows.add(List.copyOf(cells));
  }

  /** Returns whether it has no row. */
  boolean isEmpty() {
    return rows.size() == 1;
  }

  @Override
  public String toString() {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < rows.size(); i++) {
      out.append("| ").append(String.join(" | ", rows.get(i))).append(" |\n");
      if (i == 0) {
        out.append("|---").append("|--:".repeat(rows.get(0).size() - 1)).append("|\n");
      }
    }
    return out.toString();
  }
}
