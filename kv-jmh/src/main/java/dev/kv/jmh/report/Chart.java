package dev.kv.jmh.report;

import dev.kv.jmh.result.Spread;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a chart shows: a row for each benchmark, and in it a dot with a range for each store.
 *
 * @param title what the chart shows
 * @param axis what the horizontal axis measures
 * @param comparison true if values are shares of another store's time, so that 1 is no difference
 * @param stores the stores, in the order of the legend
 * @param rows the rows, from top to bottom
 * @param notes lines below the chart
 */
record Chart(
    String title,
    String axis,
    boolean comparison,
    List<String> stores,
    List<Row> rows,
    List<String> notes) {

  /**
   * One row.
   *
   * @param title the name of the benchmark
   * @param values a value for each store; null if the store has none that the axis can show
   */
  record Row(String title, List<@Nullable Spread> values) {

    /** Creates a row; a value that the axis cannot show becomes null. */
    Row {
      values = new ArrayList<>(values);
      values.replaceAll(v -> v != null && LogScale.holds(v.least(), v.greatest()) ? v : null);
    }
  }
}
