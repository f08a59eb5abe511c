package dev.kv.jmh.result;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The measurements of a run, with a row for each benchmark in the order of the sequence. */
public final class Summary {
  private final List<String> stores;
  private final List<Row> rows;

  private Summary(List<String> stores, List<Row> rows) {
    this.stores = stores;
    this.rows = rows;
  }

  /** Returns the summary of the measurements of one sequence. */
  public static Summary of(List<Measurement> measurements) {
    List<String> stores = measurements.stream().map(Measurement::store).distinct().toList();
    Map<Integer, List<Measurement>> byPosition = new TreeMap<>();
    for (Measurement m : measurements) {
      byPosition.computeIfAbsent(m.position(), position -> new ArrayList<>()).add(m);
    }
    Map<String, Integer> occurrences = new LinkedHashMap<>();
    List<Row> rows = new ArrayList<>();
    for (List<Measurement> same : byPosition.values()) {
      int occurrence = occurrences.merge(same.get(0).benchmark(), 1, Integer::sum);
      rows.add(new Row(same.get(0).title(occurrence), List.copyOf(same)));
    }
    return new Summary(stores, List.copyOf(rows));
  }

  /** Returns the stores, in the order of their first measurements. */
  public List<String> stores() {
    return stores;
  }

  /** Returns the rows. */
  public List<Row> rows() {
    return rows;
  }

  /**
   * One benchmark of the sequence.
   *
   * @param title its name, with a number if the sequence has it more than once
   * @param measurements its measurements of every store and round
   */
  public record Row(String title, List<Measurement> measurements) {

    /** Returns the median over a store's warm rounds of microseconds per operation. */
    public OptionalDouble warm(String store) {
      return median(store, false, m -> m.timing().microsPerOp());
    }

    /** Returns microseconds per operation of the first of a store's cold rounds. */
    public OptionalDouble cold(String store) {
      return measurements.stream()
          .filter(m -> m.store().equals(store) && m.cold())
          .sorted(Comparator.comparingInt(Measurement::round))
          .mapToDouble(m -> m.timing().microsPerOp())
          .findFirst();
    }

    /**
     * Returns the median of a figure over a store's warm rounds, or over the cold ones if all are.
     */
    public OptionalDouble settled(String store, ToDoubleFunction<Measurement> figure) {
      OptionalDouble warm = median(store, false, figure);
      return warm.isPresent() ? warm : median(store, true, figure);
    }

    /** Returns the spread of the ratios, or null if there is no round that both stores have. */
    public @Nullable Spread ratio(String store, String peer) {
      double[] ratios = ratios(store, peer);
      return ratios.length == 0 ? null : Spread.of(ratios);
    }

    /** Returns the spread of a store's times in its warm rounds, or null if there are none. */
    public @Nullable Spread times(String store) {
      boolean cold = measurements.stream().allMatch(Measurement::cold);
      double[] times =
          measurements.stream()
              .filter(m -> m.store().equals(store) && m.cold() == cold)
              .mapToDouble(m -> m.timing().microsPerOp())
              .toArray();
      return times.length == 0 ? null : Spread.of(times);
    }

    /**
     * Returns the time of {@code store} as a multiple of the time of {@code peer}, for each round
     * that both have: the warm rounds, or the cold ones if all are.
     */
    public double[] ratios(String store, String peer) {
      boolean cold = measurements.stream().allMatch(Measurement::cold);
      Map<Integer, Double> peers = new TreeMap<>();
      for (Measurement m : measurements) {
        if (m.store().equals(peer) && m.cold() == cold) {
          peers.put(m.round(), m.timing().microsPerOp());
        }
      }
      return measurements.stream()
          .filter(m -> m.store().equals(store) && m.cold() == cold && peers.containsKey(m.round()))
          .mapToDouble(m -> m.timing().microsPerOp() / peers.getOrDefault(m.round(), Double.NaN))
          .toArray();
    }

    private OptionalDouble median(
        String store, boolean cold, ToDoubleFunction<Measurement> figure) {
      double[] values =
          measurements.stream()
              .filter(m -> m.store().equals(store) && m.cold() == cold)
              .mapToDouble(figure)
              .toArray();
      return values.length == 0 ? OptionalDouble.empty() : OptionalDouble.of(Medians.of(values));
    }
  }
}
