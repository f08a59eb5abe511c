package dev.kv.jmh.report;

import dev.kv.jmh.result.Summary;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.style.Styler;

/**
 * Draws a run as bars, a group for each benchmark and a bar for each store, over a logarithmic
 * scale, in PNG and SVG.
 */
final class Charts {
  private static final int WIDTH = 1200;
  private static final int HEIGHT = 500;

  /** A logarithmic scale has no zero: what is absent becomes a bar too low to see. */
  private static final double LEAST_MICROS = 0.01;

  private Charts() {}

  /** Draws {@code summary} into {@code name}.png and .svg in {@code directory}. */
  static void write(Summary summary, String title, Path directory, String name) throws IOException {
    Files.createDirectories(directory);
    CategoryChart chart = chart(summary, title);
    for (String format : List.of("png", "svg")) {
      ChartEncoder.saveChart(chart, directory.resolve(name + "." + format).toString(), format);
    }
  }

  private static CategoryChart chart(Summary summary, String title) {
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .xAxisTitle("")
            .yAxisTitle("micros/op, less is better")
            .build();
    chart.getStyler().setYAxisLogarithmic(true);
    chart.getStyler().setYAxisMin(LEAST_MICROS);
    chart.getStyler().setXAxisLabelRotation(45);
    chart.getStyler().setXAxisMaxLabelCount(summary.rows().size());
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
    List<String> titles = summary.rows().stream().map(Summary.Row::title).toList();
    for (String store : summary.stores()) {
      List<Double> micros = new ArrayList<>();
      for (Summary.Row row : summary.rows()) {
        micros.add(row.settled(store, m -> m.timing().microsPerOp()).orElse(LEAST_MICROS));
      }
      chart.addSeries(store, titles, micros);
    }
    return chart;
  }
}
