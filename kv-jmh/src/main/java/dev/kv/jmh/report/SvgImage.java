package dev.kv.jmh.report;

import java.util.Locale;

/** Draws a chart as SVG, with coordinates of one decimal, so that the file stays small. */
final class SvgImage {
  private SvgImage() {}

  /** Returns the document. */
  static String of(ChartLayout layout) {
    StringBuilder svg = new StringBuilder();
    svg.append(
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%1$d\""
                + " height=\"%2$d\" font-family=\"sans-serif\" fill=\"%s\">\n",
            ChartLayout.WIDTH,
            layout.height(),
            ChartLayout.textColour()));
    svg.append("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    for (ChartLayout.Shape shape : layout.shapes()) {
      svg.append(element(shape)).append('\n');
    }
    return svg.append("</svg>\n").toString();
  }

  private static String element(ChartLayout.Shape shape) {
    if (shape instanceof ChartLayout.Area area) {
      return "<rect x=\""
          + number(area.x())
          + "\" y=\""
          + number(area.y())
          + "\" width=\""
          + number(area.width())
          + "\" height=\""
          + number(area.height())
          + "\" fill=\""
          + area.colour()
          + "\"/>";
    }
    if (shape instanceof ChartLayout.Line line) {
      return "<path d=\"M"
          + number(line.x1())
          + " "
          + number(line.y1())
          + "L"
          + number(line.x2())
          + " "
          + number(line.y2())
          + "\" stroke=\""
          + line.colour()
          + "\" stroke-width=\""
          + number(line.width())
          + "\"/>";
    }
    if (shape instanceof ChartLayout.Dot dot) {
      return "<circle cx=\""
          + number(dot.x())
          + "\" cy=\""
          + number(dot.y())
          + "\" r=\""
          + number(dot.radius())
          + (dot.filled() ? "\" fill=\"" : "\" fill=\"#fff\" stroke-width=\"2\" stroke=\"")
          + dot.colour()
          + "\"/>";
    }
    ChartLayout.Label label = (ChartLayout.Label) shape;
    return "<text x=\""
        + number(label.x())
        + "\" y=\""
        + number(label.y())
        + "\" font-size=\""
        + label.size()
        + "\""
        + (label.bold() ? " font-weight=\"bold\"" : "")
        + anchor(label.anchor())
        + ">"
        + escape(label.text())
        + "</text>";
  }

  private static String anchor(ChartLayout.Anchor anchor) {
    return anchor == ChartLayout.Anchor.START
        ? ""
        : " text-anchor=\"" + anchor.name().toLowerCase(Locale.ROOT) + "\"";
  }

  private static String number(double value) {
    String text = String.format(Locale.ROOT, "%.1f", value);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
