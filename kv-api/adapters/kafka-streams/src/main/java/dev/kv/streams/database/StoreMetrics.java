package dev.kv.streams.database;

import dev.kv.DB;
import dev.kv.admin.DBStats;
import dev.kv.errors.DBException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.MeasurableStat;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.streams.StreamsMetrics;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of the database of a store, as metrics of Streams. Their names, group and tags are
 * those of the metrics of the built-in store that mean the same. The metrics of the block cache are
 * those of the shared cache.
 *
 * <p>They are added with the public API: a sensor that nothing is recorded with, and statistics
 * that are measured when they are asked for. Statistics are read at most once a second.
 */
final class StoreMetrics {
  private static final String GROUP = "stream-state-metrics";
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final DB db;
  private final StreamsMetrics metrics;
  private final Sensor sensor;
  private final Map<String, String> tags = new LinkedHashMap<>();
  private @Nullable DBStats last;
  private long lastNanos;

  /**
   * Adds the metrics of a store, until {@link #remove}.
   *
   * @param scope the kind of the store in tags
   */
  StoreMetrics(String store, String scope, StateStoreContext context, DB db) {
    this.db = db;
    this.metrics = context.metrics();
    String thread = Thread.currentThread().getName();
    String task = context.taskId().toString();
    String name = String.join(".", "kv-store", thread, task, store);
    tags.put("thread-id", thread);
    tags.put("task-id", task);
    tags.put(scope + "-state-id", store);
    sensor = metrics.addSensor(name, Sensor.RecordingLevel.INFO);
    addGauges();
  }

  private void addGauges() {
    gauge("bytes-written-total", "Bytes written to the store", s -> s.writes().bytes());
    gauge(
        "write-stall-duration-total",
        "Milliseconds for which writes were held back",
        s -> s.writes().stalls().micros() / 1000.0);
    gauge(
        "memtable-hit-ratio",
        "Lookups that a memtable answered, of all lookups",
        s -> ratio(s.reads().memtables(), s.reads().lookups()));
    gauge(
        "block-cache-data-hit-ratio",
        "Lookups of blocks that found them in the shared cache, of all lookups",
        s ->
            ratio(
                s.memory().blockCache().hits(),
                s.memory().blockCache().hits() + s.memory().blockCache().misses()));
    gauge(
        "block-cache-capacity",
        "Capacity of the shared cache",
        s -> s.memory().blockCache().capacity());
    gauge("block-cache-usage", "Bytes in the shared cache", s -> s.memory().blockCache().charge());
    gauge("size-all-mem-tables", "Bytes of all memtables", s -> s.memory().offHeap().memtables());
    gauge(
        "estimate-table-readers-mem",
        "Bytes of the indexes and filters of open tables",
        s -> s.memory().offHeap().indexesAndFilters());
    gauge("total-sst-files-size", "Bytes of all tables", DBStats::tableBytes);
    gauge("live-sst-files-size", "Bytes of all tables", DBStats::tableBytes);
    gauge("number-open-files", "Open tables", stats -> stats.memory().openTables());
    add(
        "estimate-num-keys",
        "Estimated number of keys",
        (config, now) -> {
          String estimate = db.admin().property("kv.estimate-num-keys");
          return estimate == null ? Double.NaN : Double.parseDouble(estimate);
        });
  }

  private static double ratio(long part, long whole) {
    return whole == 0 ? 0 : (double) part / whole;
  }

  private void gauge(String name, String description, ToDoubleFunction<DBStats> value) {
    add(name, description, (config, now) -> value.applyAsDouble(stats()));
  }

  private void add(String name, String description, Gauge gauge) {
    sensor.add(new MetricName(name, GROUP, description, tags), gauge);
  }

  private synchronized DBStats stats() {
    DBStats stats = last;
    long now = System.nanoTime();
    if (stats == null || now - lastNanos > FRESH_NANOS) {
      stats = db.admin().stats();
      last = stats;
      lastNanos = now;
    }
    return stats;
  }

  /** Removes the metrics. */
  void remove() {
    metrics.removeSensor(sensor);
  }

  /** A value that is read when it is asked for. */
  @FunctionalInterface
  private interface Gauge extends MeasurableStat {
    double read(MetricConfig config, long now);

    @Override
    default double measure(MetricConfig config, long now) {
      try {
        return read(config, now);
      } catch (DBException e) {
        return Double.NaN; // the store is closed, or has failed
      }
    }

    @Override
    default void record(MetricConfig config, double value, long timeMs) {
      // Nothing is recorded: the database counts.
    }
  }
}
