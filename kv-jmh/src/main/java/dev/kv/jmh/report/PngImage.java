package dev.kv.jmh.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;

/** Draws a chart as pixels, two for each unit, for sharp text on screens with small pixels. */
final class PngImage {
  private static final int SCALE = 2;

  private PngImage() {}

  /** Returns the picture. */
  static BufferedImage of(ChartLayout layout) {
    BufferedImage image =
        new BufferedImage(
            SCALE * ChartLayout.WIDTH, SCALE * layout.height(), BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    graphics.scale(SCALE, SCALE);
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    graphics.setColor(Color.WHITE);
    graphics.fillRect(0, 0, ChartLayout.WIDTH, layout.height());
    for (ChartLayout.Shape shape : layout.shapes()) {
      draw(graphics, shape);
    }
    graphics.dispose();
    return image;
  }

  private static void draw(Graphics2D graphics, ChartLayout.Shape shape) {
    if (shape instanceof ChartLayout.Area area) {
      graphics.setColor(Color.decode(area.colour()));
      graphics.fill(new Rectangle2D.Double(area.x(), area.y(), area.width(), area.height()));
    } else if (shape instanceof ChartLayout.Line line) {
      graphics.setColor(Color.decode(line.colour()));
      graphics.setStroke(new BasicStroke((float) line.width()));
      graphics.draw(new Line2D.Double(line.x1(), line.y1(), line.x2(), line.y2()));
    } else if (shape instanceof ChartLayout.Dot dot) {
      double radius = dot.radius();
      Ellipse2D circle =
          new Ellipse2D.Double(dot.x() - radius, dot.y() - radius, 2 * radius, 2 * radius);
      graphics.setColor(dot.filled() ? Color.decode(dot.colour()) : Color.WHITE);
      graphics.fill(circle);
      if (!dot.filled()) {
        graphics.setColor(Color.decode(dot.colour()));
        graphics.setStroke(new BasicStroke(2));
        graphics.draw(circle);
      }
    } else if (shape instanceof ChartLayout.Label label) {
      graphics.setColor(Color.decode(ChartLayout.textColour()));
      graphics.setFont(
          new Font(Font.SANS_SERIF, label.bold() ? Font.BOLD : Font.PLAIN, label.size()));
      int width = graphics.getFontMetrics().stringWidth(label.text());
      double x =
          switch (label.anchor()) {
            case START -> label.x();
            case MIDDLE -> label.x() - width / 2.0;
            case END -> label.x() - width;
          };
      graphics.drawString(label.text(), (float) x, (float) label.y());
    }
  }
}
