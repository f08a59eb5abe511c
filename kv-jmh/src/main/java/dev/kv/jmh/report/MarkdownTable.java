package dev.kv.jmh.report;

import java.util.ArrayList;
import java.util.List;

/** A table in Markdown. The first column is aligned left, the others right. */
final class MarkdownTable {
  private final List<List<String>> rows = new ArrayList<>();

  MarkdownTable(List<String> heads) {
    rows.add(List.copyOf(heads));
  }

  /**
   * Adds a row. A vertical bar in a cell is escaped.
   *
   * @throws IllegalArgumentException if the number of cells is not the number of heads
   */
  void add(List<String> cells) {
    if (cells.size() != rows.get(0).size()) {
      throw new IllegalArgumentException(
          cells.size() + " cells under " + rows.get(0).size() + " heads: " + cells);
    }
    rows.add(cells.stream().map(cell -> cell.replace("|", "\\|")).toList());
  }

  /** Returns true if the table has no rows. */
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
