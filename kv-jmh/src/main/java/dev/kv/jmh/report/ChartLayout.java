package dev.kv.jmh.report;

import dev.kv.jmh.result.Spread;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;

/** Places the shapes of a chart; {@link SvgImage} and {@link PngImage} draw them. */
final class ChartLayout {
  static final int WIDTH = 1200;

  private static final int LEFT = 170;
  private static final int RIGHT = 150;
  private static final int TOP = 64;
  private static final int ROW_PADDING = 10;
  private static final int DOT_SPACING = 9;
  private static final int NOTE_HEIGHT = 18;
  private static final double RADIUS = 4;

  /** Colours that people with any colour vision tell apart, by Okabe and Ito. */
  private static final List<String> COLOURS =
      List.of(
          "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c6d31");

  private static final String GRID = "#dddddd";
  private static final String BASE = "#888888";
  private static final String TEXT = "#222222";

  /** A part of the picture. */
  sealed interface Shape permits Line, Dot, Label {}

  /** A straight line. */
  record Line(double x1, double y1, double x2, double y2, String colour, double width)
      implements Shape {}

  /** A filled circle. */
  record Dot(double x, double y, double radius, String colour) implements Shape {}

  /** A line of text; {@code anchor} says which end of it is at x. */
  record Label(double x, double y, String text, int size, Anchor anchor) implements Shape {}

  /** The end of a text that has a given place. */
  enum Anchor {
    START,
    MIDDLE,
    END
  }

  private final Chart chart;
  private final LogScale scale;
  private final int rowHeight;
  private final List<Shape> shapes = new ArrayList<>();

  ChartLayout(Chart chart) {
    this.chart = chart;
    double least = 1;
    double greatest = 1;
    boolean first = true;
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
    rowHeight = 2 * ROW_PADDING + DOT_SPACING * Math.max(1, chart.stores().size() - 1);
    place();
  }

  /** Returns the shapes in the order in which they are drawn. */
  List<Shape> shapes() {
    return shapes;
  }

  /** Returns the height of the picture in pixels. */
  int height() {
    return bottom() + 54 + NOTE_HEIGHT * chart.notes().size();
  }

  private int bottom() {
    return TOP + rowHeight * chart.rows().size();
  }

  private double x(double value) {
    return LEFT + scale.place(value) * (WIDTH - LEFT - RIGHT);
  }

  private void place() {
    shapes.add(new Label(LEFT, 28, chart.title(), 18, Anchor.START));
    for (double label : scale.labels()) {
      double x = x(label);
      shapes.add(new Line(x, TOP, x, bottom(), label == 1 ? BASE : GRID, label == 1 ? 2 : 1));
      shapes.add(new Label(x, TOP - 8, text(label), 12, Anchor.MIDDLE));
      shapes.add(new Label(x, bottom() + 16, text(label), 12, Anchor.MIDDLE));
    }
    for (int i = 0; i <= chart.rows().size(); i++) {
      double y = TOP + i * rowHeight;
      shapes.add(new Line(LEFT, y, WIDTH - RIGHT, y, GRID, 1));
    }
    for (int i = 0; i < chart.rows().size(); i++) {
      place(chart.rows().get(i), TOP + i * rowHeight);
    }
    shapes.add(new Label(LEFT, bottom() + 38, chart.axis(), 13, Anchor.START));
    for (int i = 0; i < chart.notes().size(); i++) {
      double y = bottom() + 56 + i * NOTE_HEIGHT;
      shapes.add(new Label(LEFT, y, chart.notes().get(i), 12, Anchor.START));
    }
    for (int i = 0; i < chart.stores().size(); i++) {
      double y = TOP + 14 + i * 22;
      shapes.add(new Dot(WIDTH - RIGHT + 18, y - 4, RADIUS, colour(i)));
      shapes.add(new Label(WIDTH - RIGHT + 30, y, chart.stores().get(i), 13, Anchor.START));
    }
  }

  private void place(Chart.Row row, double top) {
    shapes.add(new Label(LEFT - 10, top + rowHeight / 2.0 + 4, row.title(), 13, Anchor.END));
    for (int i = 0; i < row.values().size(); i++) {
      Spread value = row.values().get(i);
      if (value != null) {
        double y = top + ROW_PADDING + i * DOT_SPACING;
        shapes.add(new Line(x(value.least()), y, x(value.greatest()), y, colour(i), 2));
        shapes.add(new Dot(x(value.median()), y, RADIUS, colour(i)));
      }
    }
  }

  private static String colour(int store) {
    return COLOURS.get(store % COLOURS.size());
  }

  static String textColour() {
    return TEXT;
  }

  private static String text(double value) {
    return new BigDecimal(value).round(new MathContext(3)).stripTrailingZeros().toPlainString();
  }
}
