package dev.kv.micrometer;

import dev.kv.admin.DBInspector;
import dev.kv.admin.DBStats;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Registers the statistics of a database as meters. Thread-safe.
 *
 * <p>The meters begin with {@code kv.}: lookups by where they were answered, filters, the block
 * cache, iterators, writes, syncs, stalls, levels, compactions, memory and amplification. They read
 * {@link DBInspector#stats} at most once a second. They do not keep the database from being
 * garbage-collected. From a second after its close on, gauges are NaN, and counters keep the value
 * that was read last; {@link #close} removes them. A registry has one meter of a name and tags, the
 * first that is registered: close this object with its database, or the meters of the next open
 * would not be registered.
 */
public final class DatabaseMetrics implements MeterBinder, AutoCloseable {
  private static final double MICROS = 1e6;

  /** Held while meters are added or removed, so that each has one object that registered it. */
  private static final Object BINDING = new Object();

  private final DBInspector database;
  private final Tags tags;
  private final StatsView view;
  private final List<Registered> registered = new ArrayList<>(); // guarded by BINDING

  /** A meter and its registry. */
  private record Registered(MeterRegistry registry, Meter meter) {}

  /**
   * Creates the meters of a database. Nothing is registered yet.
   *
   * @param database what {@code DB.admin()} or {@code ReadOnlyDB.admin()} returns
   * @param tags the tags of all its meters, such as the name of the database; they distinguish the
   *     databases of a program
   */
  public DatabaseMetrics(DBInspector database, Iterable<Tag> tags) {
    this(database, tags, new StatsView(StatsView.ONE_SECOND));
  }

  DatabaseMetrics(DBInspector database, Iterable<Tag> tags, StatsView view) {
    this.database = Objects.requireNonNull(database, "database");
    this.tags = Tags.of(tags);
    this.view = view;
  }

  /**
   * Creates the meters of a database with the tag {@code database}. Nothing is registered yet.
   *
   * @param database what {@code DB.admin()} or {@code ReadOnlyDB.admin()} returns
   * @param name the value of the tag
   */
  public DatabaseMetrics(DBInspector database, String name) {
    this(database, Tags.of("database", name));
  }

  /**
   * Registers the meters. Those that the registry has already, with the same tags, stay as they
   * are; {@link #close} removes only those that this object registered.
   *
   * @param registry the registry
   */
  @Override
  public void bindTo(MeterRegistry registry) {
    synchronized (BINDING) {
      Set<Meter> present = new HashSet<>(registry.getMeters()); // equal if their names and tags are
      int before = registered.size();
      try {
        bindReads(registry);
        bindWrites(registry);
        bindTree(registry);
        bindMemory(registry);
      } finally {
        registered
            .subList(before, registered.size())
            .removeIf(each -> present.contains(each.meter()));
      }
    }
  }

  private void bindReads(MeterRegistry registry) {
    counter(registry, "kv.lookups", "answered", "memtable", stats -> stats.reads().memtables());
    for (int i = 0; i < levels(); i++) {
      int level = i;
      counter(
          registry,
          "kv.lookups",
          "answered",
          "level" + level,
          stats -> stats.reads().levels().get(level));
    }
    counter(registry, "kv.lookups", "answered", "none", stats -> stats.reads().notFound());
    counter(registry, "kv.lookup.blocks", stats -> stats.reads().blocks());
    counter(registry, "kv.filter", "result", "negative", stats -> stats.reads().filterNegatives());
    counter(
        registry,
        "kv.filter",
        "result",
        "false_positive",
        stats -> stats.reads().filterFalsePositives());
    counter(registry, "kv.cached.negatives", stats -> stats.reads().cachedNegatives());
    counter(
        registry, "kv.cache.gets", "result", "hit", stats -> stats.memory().blockCache().hits());
    counter(
        registry, "kv.cache.gets", "result", "miss", stats -> stats.memory().blockCache().misses());
    bytes(registry, "kv.cache.size", Tags.empty(), stats -> stats.memory().blockCache().charge());
    counter(registry, "kv.iterators", stats -> stats.reads().iterators());
    counter(registry, "kv.iterators.leaked", stats -> stats.views().leakedIterators());
    gauge(registry, "kv.iterators.open", Tags.empty(), stats -> stats.views().iterators());
    remember(
        registry,
        TimeGauge.builder(
                "kv.iterators.oldest", database, TimeUnit.SECONDS, open(DatabaseMetrics::oldest))
            .tags(tags)
            .register(registry));
    gauge(registry, "kv.snapshots", Tags.empty(), stats -> stats.views().snapshots());
  }

  private static double oldest(DBStats stats) {
    return stats.views().oldestIterators().isEmpty()
        ? 0
        : stats.views().oldestIterators().get(0).ageMicros() / MICROS;
  }

  private void bindWrites(MeterRegistry registry) {
    counter(registry, "kv.writes", stats -> stats.writes().operations());
    counter(registry, "kv.write.bytes", stats -> stats.writes().bytes());
    timer(
        registry,
        "kv.syncs",
        stats -> stats.writes().syncs(),
        stats -> stats.writes().syncMicros());
    counter(registry, "kv.stalls", "kind", "delay", stats -> stats.writes().stalls().delays());
    counter(registry, "kv.stalls", "kind", "stop", stats -> stats.writes().stalls().stops());
    counter(registry, "kv.stall.micros", stats -> stats.writes().stalls().micros());
  }

  private void bindTree(MeterRegistry registry) {
    for (int i = 0; i < levels(); i++) {
      int level = i;
      Tags tag = Tags.of("level", Integer.toString(level));
      gauge(registry, "kv.level.tables", tag, stats -> stats.levels().get(level).files());
      bytes(registry, "kv.level.size", tag, stats -> stats.levels().get(level).bytes());
      counter(
          registry,
          "kv.compaction.read",
          "level",
          Integer.toString(level),
          stats -> stats.levels().get(level).compactionBytesRead());
      counter(
          registry,
          "kv.compaction.written",
          "level",
          Integer.toString(level),
          stats -> stats.levels().get(level).compactionBytesWritten());
      counter(
          registry,
          "kv.compaction.micros",
          "level",
          Integer.toString(level),
          stats -> stats.levels().get(level).compactionMicros());
    }
    gauge(registry, "kv.amplification", Tags.of("kind", "read"), DBStats::readAmplification);
    gauge(registry, "kv.amplification", Tags.of("kind", "write"), DBStats::writeAmplification);
    gauge(registry, "kv.amplification", Tags.of("kind", "space"), DBStats::spaceAmplification);
    gauge(registry, "kv.tables.open", Tags.empty(), stats -> stats.memory().openTables());
  }

  private void bindMemory(MeterRegistry registry) {
    bytes(
        registry,
        "kv.memory",
        Tags.of("kind", "memtables"),
        stats -> stats.memory().offHeap().memtables());
    bytes(
        registry,
        "kv.memory",
        Tags.of("kind", "blocks"),
        stats -> stats.memory().offHeap().blocks());
    bytes(
        registry,
        "kv.memory",
        Tags.of("kind", "indexes_and_filters"),
        stats -> stats.memory().offHeap().indexesAndFilters());
    bytes(
        registry,
        "kv.memory",
        Tags.of("kind", "buffers"),
        stats -> stats.memory().offHeap().writeBuffers());
    bytes(registry, "kv.mapped", Tags.empty(), stats -> stats.memory().mappedBytes());
  }

  private int levels() {
    DBStats stats = view.of(database);
    return stats == null ? 0 : stats.levels().size();
  }

  private void counter(MeterRegistry registry, String name, ToDoubleFunction<DBStats> value) {
    counter(registry, name, List.of(), value);
  }

  private void counter(
      MeterRegistry registry,
      String name,
      String tag,
      String tagValue,
      ToDoubleFunction<DBStats> value) {
    counter(registry, name, List.of(Tag.of(tag, tagValue)), value);
  }

  private void counter(
      MeterRegistry registry, String name, List<Tag> more, ToDoubleFunction<DBStats> value) {
    StatsView from = view;
    remember(
        registry,
        FunctionCounter.builder(name, database, each -> orZero(from.of(each), value))
            .tags(tags.and(more))
            .register(registry));
  }

  private static double orZero(@Nullable DBStats stats, ToDoubleFunction<DBStats> value) {
    return stats == null ? 0 : value.applyAsDouble(stats);
  }

  private void timer(
      MeterRegistry registry,
      String name,
      ToLongFunction<DBStats> count,
      ToDoubleFunction<DBStats> micros) {
    StatsView from = view;
    remember(
        registry,
        FunctionTimer.builder(
                name,
                database,
                each -> (long) orZero(from.of(each), count::applyAsLong),
                each -> orZero(from.of(each), micros),
                TimeUnit.MICROSECONDS)
            .tags(tags)
            .register(registry));
  }

  private void gauge(
      MeterRegistry registry, String name, Tags more, ToDoubleFunction<DBStats> value) {
    remember(
        registry,
        Gauge.builder(name, database, open(value)).tags(tags.and(more)).register(registry));
  }

  private void bytes(
      MeterRegistry registry, String name, Tags more, ToDoubleFunction<DBStats> value) {
    remember(
        registry,
        Gauge.builder(name, database, open(value))
            .tags(tags.and(more))
            .baseUnit(BaseUnits.BYTES)
            .register(registry));
  }

  /** Returns the function of a gauge: NaN after the close. It must not refer to the database. */
  private ToDoubleFunction<DBInspector> open(ToDoubleFunction<DBStats> value) {
    StatsView from = view;
    return each -> {
      DBStats stats = from.ofOpen(each);
      return stats == null ? Double.NaN : value.applyAsDouble(stats);
    };
  }

  private void remember(MeterRegistry registry, Meter meter) {
    registered.add(new Registered(registry, meter));
  }

  /** Removes the meters that this object registered. Does not close the database. */
  @Override
  public void close() {
    synchronized (BINDING) {
      registered.forEach(each -> each.registry().remove(each.meter()));
      registered.clear();
    }
  }
}
