package dev.kv.jmh.result;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/** Measurements put together: a row for each benchmark of the sequence, in its order. */
public final class Summary {
  private final List<String> stores;
  private final List<Row> rows;

  private Summary(List<String> stores, List<Row> rows) {
    this.stores = stores;
    this.rows = rows;
  }

  /** Puts {@code measurements} of one sequence together. */
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

  /** Returns the stores, in the order in which they first came. */
  public List<String> stores() {
    return stores;
  }

  /** Returns the rows. */
  public List<Row> rows() {
    return rows;
  }

  /**
   * A benchmark of the sequence.
   *
   * @param title its name, numbered where it comes again
   * @param measurements all of it, of every store and round
   */
  public record Row(String title, List<Measurement> measurements) {

    /** Returns the median over a store's warm rounds of microseconds per operation. */
    public OptionalDouble warm(String store) {
      return median(store, false, m -> m.timing().microsPerOp());
    }

    /** Returns microseconds per operation of a store's cold rounds. */
    public OptionalDouble cold(String store) {
      return median(store, true, m -> m.timing().microsPerOp());
    }

    /** Returns the median of any figure over a store's warm rounds, or the cold if all are. */
    public OptionalDouble settled(String store, ToDoubleFunction<Measurement> figure) {
      OptionalDouble warm = median(store, false, figure);
      return warm.isPresent() ? warm : median(store, true, figure);
    }

    /**
     * Returns how many times as long as {@code peer} the {@code store} took, in each round that
     * both have: the warm ones, or the cold if all are.
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
