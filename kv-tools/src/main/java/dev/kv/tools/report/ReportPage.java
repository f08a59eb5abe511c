package dev.kv.tools.report;

import java.util.List;
import java.util.Locale;

/** A page of HTML that needs no other file. Text that is added is escaped. */
final class ReportPage {
  /** The first bytes of every report. */
  static final String START = "<!DOCTYPE html>\n<!-- kv report -->\n";

  private static final String STYLE =
      """
      :root { color-scheme: light dark; --text: #1c2430; --dim: #5b6675; --back: #ffffff;
        --card: #f4f6f9; --line: #d5dbe3; --mark: #2563b0; --wrong: #b3261e; --good: #1e7a3c; }
      @media (prefers-color-scheme: dark) { :root { --text: #e4e9f0; --dim: #9aa7b8;
        --back: #14181f; --card: #1e242d; --line: #37414f; --mark: #6ea8ee; --wrong: #ff8a80;
        --good: #7fd49b; } }
      body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back);
        max-width: 1000px; margin: 2rem auto; padding: 0 1rem; }
      h1 { font-size: 1.5rem; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin-top: 2rem; }
      p.note, td.dim { color: var(--dim); } .wrong { color: var(--wrong); font-weight: 600; }
      .good { color: var(--good); font-weight: 600; }
      .cards { display: flex; flex-wrap: wrap; gap: .7rem; }
      .card { background: var(--card); border: 1px solid var(--line); border-radius: 6px;
        padding: .5rem .9rem; } .card b { display: block; font-size: 1.25rem; }
      table { border-collapse: collapse; width: 100%; } td, th { text-align: left;
        padding: .15rem .8rem .15rem 0; border-bottom: 1px solid var(--line); }
      td.number, th.number { text-align: right; white-space: nowrap;
        font-variant-numeric: tabular-nums; }
      td.bar { width: 45%; } .bar i { display: block; height: .8rem; min-width: 2px;
        background: var(--mark); border-radius: 2px; }
      svg { width: 100%; min-width: 600px; } svg text { fill: var(--text); font-size: 13px; }
      svg rect { fill: var(--mark); } code { overflow-wrap: anywhere; }
      .scroll { overflow-x: auto; }
      """;

  private final StringBuilder html = new StringBuilder(START);

  ReportPage(String title) {
    html.append("<html lang=\"en\"><head><meta charset=\"utf-8\">");
    html.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    html.append("<title>").append(escape(title)).append("</title><style>\n").append(STYLE);
    html.append("</style></head><body><h1>").append(escape(title)).append("</h1>\n");
  }

  /** Returns text in which no character begins a tag. */
  static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }

  /** Returns a size with its unit. */
  static String bytes(long bytes) {
    String[] units = {"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) {
      return bytes + " bytes";
    }
    double size = bytes / 1024.0;
    int unit = 0;
    while (size >= 1024 && unit < units.length - 1) {
      size /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, "%.1f %s", size, units[unit]);
  }

  void section(String heading, String note) {
    html.append("<h2>").append(escape(heading)).append("</h2>\n");
    if (!note.isEmpty()) {
      html.append("<p class=\"note\">").append(escape(note)).append("</p>\n");
    }
  }

  /** Adds a paragraph of a class of the style. */
  void paragraph(String styleClass, String text) {
    html.append("<p class=\"").append(styleClass).append("\">").append(escape(text));
    html.append("</p>\n");
  }

  /** Adds numbers with their names, side by side. */
  void cards(List<String[]> cards) {
    html.append("<div class=\"cards\">");
    for (String[] card : cards) {
      html.append("<div class=\"card\"><b>").append(escape(card[0])).append("</b>");
      html.append(escape(card[1])).append("</div>");
    }
    html.append("</div>\n");
  }

  /** Adds a drawing that is SVG already. */
  void drawing(String svg) {
    html.append("<div class=\"scroll\">").append(svg).append("</div>\n");
  }

  void list(List<String> items) {
    html.append("<ul>");
    items.forEach(item -> html.append("<li>").append(escape(item)).append("</li>"));
    html.append("</ul>\n");
  }

  /**
   * Adds a table whose first column is text and whose others are numbers, with a bar in each row.
   */
  void bars(List<String> columns, List<List<String>> rows, List<Long> lengths) {
    long most = lengths.stream().mapToLong(Long::longValue).max().orElse(1);
    html.append("<table><tr>");
    for (int i = 0; i < columns.size(); i++) {
      html.append(i == 0 ? "<th>" : "<th class=\"number\">").append(escape(columns.get(i)));
      html.append("</th>");
    }
    html.append("<th></th></tr>\n");
    for (int row = 0; row < rows.size(); row++) {
      html.append("<tr>");
      for (int i = 0; i < columns.size(); i++) {
        html.append(i == 0 ? "<td><code>" : "<td class=\"number\">");
        html.append(escape(rows.get(row).get(i))).append(i == 0 ? "</code></td>" : "</td>");
      }
      html.append("<td class=\"bar\"><i style=\"width:");
      html.append(String.format(Locale.ROOT, "%.1f", 100.0 * lengths.get(row) / Math.max(1, most)));
      html.append("%\"></i></td></tr>\n");
    }
    html.append("</table>\n");
  }

  String end() {
    return html + "</body></html>\n";
  }
}
