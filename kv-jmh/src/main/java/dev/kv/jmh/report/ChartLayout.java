package dev.kv.jmh.report;

import dev.kv.jmh.result.Spread;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;

/** Places the shapes of a chart; {@link SvgImage} and {@link PngImage} draw them. */
final class ChartLayout {
  /** The width at which documents show pictures, so that no text is scaled down. */
  static final int WIDTH = 830;

  private static final int LEFT = 205;
  private static final int RIGHT = 20;
  private static final int TOP = 104;
  private static final int ROW_HEIGHT = 40;
  private static final int DOT_SPACING = 11;
  private static final int LINE_HEIGHT = 19;
  private static final int LINE_LENGTH = 110;
  private static final double RADIUS = 4.5;
  private static final int TEXT_SIZE = 13;

  private static final String GRID = "#d0d0d0";
  private static final String BASE = "#555555";
  private static final String TEXT = "#222222";
  private static final String FASTER = "#e6f3e6";
  private static final String SLOWER = "#fdeee2";

  /** A part of the picture. */
  sealed interface Shape permits Area, Line, Dot, Label {}

  /** A filled rectangle. */
  record Area(double x, double y, double width, double height, String colour) implements Shape {}

  /** A straight line. */
  record Line(double x1, double y1, double x2, double y2, String colour, double width)
      implements Shape {}

  /** A circle, filled or with a white inside. */
  record Dot(double x, double y, double radius, String colour, boolean filled) implements Shape {}

  /** A line of text; {@code anchor} says which end of it is at x. */
  record Label(double x, double y, String text, int size, boolean bold, Anchor anchor)
      implements Shape {}

  /** The end of a text that has a given place. */
  enum Anchor {
    START,
    MIDDLE,
    END
  }

  private final Chart chart;
  private final LogScale scale;
  private final int rowHeight;
  private final List<String> lines = new ArrayList<>();
  private final List<Shape> shapes = new ArrayList<>();

  ChartLayout(Chart chart) {
    this.chart = chart;
    double least = 1;
    double greatest = 1;
    boolean first = !chart.comparison();
    for (Chart.Row row : chart.rows()) {
      for (Spread value : row.values()) {
        if (value != null) {
          least = first ? value.least() : Math.min(least, value.least());
          greatest = first ? value.greatest() : Math.max(greatest, value.greatest());
          first = false;
        }
      }
    }
    scale = new LogScale(least, greatest);
    rowHeight = Math.max(ROW_HEIGHT, DOT_SPACING * (chart.stores().size() + 1));
    addLines(chart.axis());
    chart.notes().forEach(this::addLines);
    place();
  }

  /** Returns the shapes in the order in which they are drawn. */
  List<Shape> shapes() {
    return shapes;
  }

  /** Returns the height of the picture in pixels. */
  int height() {
    return bottom() + 36 + LINE_HEIGHT * lines.size();
  }

  private int bottom() {
    return TOP + rowHeight * chart.rows().size();
  }

  private double x(double value) {
    return LEFT + scale.place(value) * (WIDTH - LEFT - RIGHT);
  }

  /** Adds a text below the chart, in as many lines as it takes. */
  private void addLines(String text) {
    StringBuilder line = new StringBuilder();
    for (String word : text.split(" ")) {
      if (line.length() + word.length() >= LINE_LENGTH) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.length() == 0 ? "" : " ").append(word);
    }
    lines.add(line.toString());
  }

  private void place() {
    if (chart.comparison()) {
      placeSides();
    }
    shapes.add(new Label(16, 28, chart.title(), 17, true, Anchor.START));
    placeLegend();
    for (double label : scale.labels()) {
      double x = x(label);
      boolean base = chart.comparison() && label == 1;
      shapes.add(new Line(x, TOP, x, bottom(), base ? BASE : GRID, base ? 2 : 1));
      shapes.add(label(x, TOP - 8, text(label), Anchor.MIDDLE));
      shapes.add(label(x, bottom() + 18, text(label), Anchor.MIDDLE));
    }
    for (int i = 0; i <= chart.rows().size(); i++) {
      double y = TOP + i * rowHeight;
      shapes.add(new Line(16, y, WIDTH - RIGHT, y, GRID, 1));
    }
    boolean compacted = false;
    for (int i = 0; i < chart.rows().size(); i++) {
      Chart.Row row = chart.rows().get(i);
      compacted = BenchmarkText.compacted(row.title(), compacted);
      place(row, BenchmarkText.of(row.title(), compacted), TOP + i * rowHeight);
    }
    for (int i = 0; i < lines.size(); i++) {
      double y = bottom() + 44 + i * LINE_HEIGHT;
      shapes.add(label(16, y, lines.get(i), Anchor.START));
    }
  }

  /** Shades the sides of 1, and names them. */
  private void placeSides() {
    double top = TOP - 44;
    double middle = x(1);
    shapes.add(new Area(LEFT, top, middle - LEFT, bottom() - top, FASTER));
    shapes.add(new Area(middle, top, WIDTH - RIGHT - middle, bottom() - top, SLOWER));
    shapes.add(new Label(middle - 12, TOP - 28, "kv faster", TEXT_SIZE, true, Anchor.END));
    shapes.add(new Label(middle + 12, TOP - 28, "kv slower", TEXT_SIZE, true, Anchor.START));
  }

  private void placeLegend() {
    double x = 16;
    for (String store : chart.stores()) {
      shapes.add(new Dot(x + RADIUS, 46, RADIUS, StoreStyle.colourOf(store), true));
      shapes.add(label(x + 15, 50, store, Anchor.START));
      x += 40 + 7.6 * store.length();
    }
  }

  private void place(Chart.Row row, String text, double top) {
    double middle = top + rowHeight / 2.0;
    double y = text.isEmpty() ? middle + 5 : middle - 3;
    shapes.add(new Label(16, y, row.title(), TEXT_SIZE, true, Anchor.START));
    if (!text.isEmpty()) {
      shapes.add(label(16, middle + 14, text, Anchor.START));
    }
    double first = middle - DOT_SPACING * (row.values().size() - 1) / 2.0;
    for (int i = 0; i < row.values().size(); i++) {
      Spread value = row.values().get(i);
      if (value != null) {
        String colour = StoreStyle.colourOf(chart.stores().get(i));
        double level = first + i * DOT_SPACING;
        shapes.add(new Line(x(value.least()), level, x(value.greatest()), level, colour, 2.5));
        shapes.add(new Dot(x(value.median()), level, RADIUS, colour, !value.isWide()));
      }
    }
  }

  private static Label label(double x, double y, String text, Anchor anchor) {
    return new Label(x, y, text, TEXT_SIZE, false, anchor);
  }

  static String textColour() {
    return TEXT;
  }

  private static String text(double value) {
    return new BigDecimal(value).round(new MathContext(3)).stripTrailingZeros().toPlainString();
  }
}
