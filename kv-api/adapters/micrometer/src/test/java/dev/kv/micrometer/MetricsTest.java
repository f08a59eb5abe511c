package dev.kv.micrometer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.WriteOptions;
import dev.kv.event.DamageEvent;
import dev.kv.event.FailureEvent;
import dev.kv.event.OpenEvent;
import dev.kv.event.StallEvent;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsTest {
  @TempDir Path temp;

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  private static byte[] b(String text) {
    return text.getBytes(UTF_8);
  }

  private DB open(Options.Builder options) {
    return DB.open(temp.resolve("db"), options.createIfMissing(true).build());
  }

  private double counter(String name, String... tags) {
    return registry.get(name).tags(tags).functionCounter().count();
  }

  private double gauge(String name, String... tags) {
    return registry.get(name).tags(tags).gauge().value();
  }

  @Test
  void statistics_areMetersOfTheirDatabase() {
    try (DB db = open(Options.builder())) {
      db.put(b("a"), b("1"));
      db.put(WriteOptions.SYNC, b("b"), b("2"));
      db.get(b("a"));
      db.get(b("nowhere"));
      db.admin().flush();
      new DatabaseMetrics(db.admin(), "orders").bindTo(registry);
      assertThat(counter("kv.lookups", "database", "orders", "answered", "memtable")).isEqualTo(1);
      assertThat(counter("kv.lookups", "answered", "none")).isEqualTo(1);
      assertThat(counter("kv.writes")).isEqualTo(2);
      assertThat(counter("kv.write.bytes")).isPositive();
      assertThat(registry.get("kv.syncs").functionTimer().count()).isEqualTo(1);
      assertThat(registry.get("kv.syncs").functionTimer().totalTime(TimeUnit.MICROSECONDS))
          .isCloseTo(
              db.admin().stats().writes().syncMicros(), within(0.001)); // it passes through seconds
      assertThat(gauge("kv.level.tables", "level", "2")).isEqualTo(1);
      assertThat(gauge("kv.level.size", "level", "2")).isPositive();
      assertThat(gauge("kv.amplification", "kind", "space")).isEqualTo(1);
      assertThat(gauge("kv.iterators.open")).isZero();
      assertThat(gauge("kv.memory", "kind", "memtables")).isNotNegative();
    }
  }

  @Test
  void meters_afterTheClose_keepCountsAndHaveNoValues_untilTheyAreRemoved() {
    DatabaseMetrics metrics;
    try (DB db = open(Options.builder())) {
      db.put(b("a"), b("1"));
      metrics = new DatabaseMetrics(db.admin(), Tags.of("database", "orders"), new StatsView(0));
      metrics.bindTo(registry);
      assertThat(counter("kv.writes")).isEqualTo(1);
      db.close();
      assertThat(gauge("kv.snapshots")).isNaN();
      assertThat(counter("kv.writes")).isEqualTo(1);
    }
    metrics.close();
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void meters_ofTheNextOpen_areThoseOfThatDatabase() {
    for (int round = 0; round < 3; round++) {
      try (DB db = open(Options.builder());
          DatabaseMetrics metrics = new DatabaseMetrics(db.admin(), "orders")) {
        metrics.bindTo(registry);
        assertThat(gauge("kv.snapshots", "database", "orders")).isZero();
        assertThat(counter("kv.writes", "database", "orders")).isZero();
        db.put(b("a"), b("1"));
      }
    }
  }

  @Test
  void meters_ofTwoWithEqualTags_areRemovedByTheOneThatRegisteredThem() {
    try (DB db = open(Options.builder())) {
      Tags tags = Tags.of("database", "orders");
      DatabaseMetrics first = new DatabaseMetrics(db.admin(), tags, new StatsView(0));
      first.bindTo(registry);
      List<Meter> meters = registry.getMeters();
      DatabaseMetrics second = new DatabaseMetrics(db.admin(), "orders");
      second.bindTo(registry);
      first.bindTo(registry);
      second.close();
      assertThat(registry.getMeters()).containsExactlyInAnyOrderElementsOf(meters);
      db.put(b("a"), b("1"));
      assertThat(counter("kv.writes", "database", "orders")).isEqualTo(1);
      first.close();
      assertThat(registry.getMeters()).isEmpty();
    }
  }

  @Test
  void meters_ofADatabaseOpenForReadsOnly_countItsReads() {
    open(Options.builder()).close();
    try (ReadOnlyDB db = DB.openReadOnly(temp.resolve("db"), Options.DEFAULT)) {
      new DatabaseMetrics(db.admin(), Tags.of("database", "copy"), new StatsView(0))
          .bindTo(registry);
      db.get(b("nowhere"));
      assertThat(counter("kv.lookups", "database", "copy", "answered", "none")).isEqualTo(1);
      assertThat(counter("kv.writes", "database", "copy")).isZero();
    }
  }

  @Test
  void meters_ofTwoDatabases_differByTheirTags() {
    try (DB one = open(Options.builder());
        DB other =
            DB.open(temp.resolve("other"), Options.builder().createIfMissing(true).build())) {
      one.put(b("a"), b("1"));
      new DatabaseMetrics(one.admin(), "one").bindTo(registry);
      new DatabaseMetrics(other.admin(), "other").bindTo(registry);
      assertThat(counter("kv.writes", "database", "one")).isEqualTo(1);
      assertThat(counter("kv.writes", "database", "other")).isZero();
    }
  }

  @Test
  void events_areTimersAndCounters() {
    EventMetrics listener = new EventMetrics(registry, "orders");
    try (DB db =
        open(Options.builder().monitoring(m -> m.listener(listener).slowSync(Duration.ZERO)))) {
      for (int i = 0; i < 3; i++) {
        db.put(WriteOptions.SYNC, b("a"), b("1"));
        db.put(b("z"), b("1"));
        db.admin().flush();
      }
      db.admin().compactRange(null, null);
    }
    assertThat(registry.get("kv.open").timer().count()).isEqualTo(1);
    assertThat(registry.get("kv.flush").tag("database", "orders").timer().count()).isEqualTo(3);
    assertThat(registry.get("kv.sync.slow").timer().count()).isEqualTo(3);
    assertThat(registry.get("kv.compaction").tag("reason", "manual").timer().count()).isPositive();
    assertThat(registry.get("kv.tables.deleted").counter().count()).isPositive();
  }

  @Test
  void events_ofAClosedListener_haveNoMeters_untilTheNextEvent() {
    EventMetrics orders = new EventMetrics(registry, "orders");
    EventMetrics others = new EventMetrics(registry, "others");
    for (EventMetrics listener : List.of(orders, others)) {
      listener.onEvent(new OpenEvent("db", false, 0, 0, 0, 0, 1000));
      listener.onEvent(new DamageEvent("db", DamageEvent.During.READ, "000005.ldb", 0, "bad"));
    }
    orders.close();
    assertThat(registry.getMeters())
        .hasSize(2)
        .allMatch(meter -> "others".equals(meter.getId().getTag("database")));
    others.close();
    others.close();
    assertThat(registry.getMeters()).isEmpty();
    try (DB db = open(Options.builder().monitoring(m -> m.listener(orders)))) {
      db.put(b("a"), b("1"));
    }
    assertThat(registry.get("kv.open").timer().count()).isEqualTo(1);
    orders.close();
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void events_ofTrouble_areCountedByTheirKind() {
    EventMetrics listener = new EventMetrics(registry, Tags.empty());
    listener.onEvent(new StallEvent("db", StallEvent.Reason.FLUSH_BEHIND, 3, 2000));
    listener.onEvent(new DamageEvent("db", DamageEvent.During.READ, "000005.ldb", 0, "bad"));
    listener.onEvent(new FailureEvent("db", "a write", new AssertionError(), false));
    assertThat(
            registry
                .get("kv.stall")
                .tag("reason", "flush_behind")
                .timer()
                .totalTime(TimeUnit.MICROSECONDS))
        .isEqualTo(2000);
    assertThat(registry.get("kv.damage").tag("during", "read").counter().count()).isEqualTo(1);
    assertThat(registry.get("kv.failure").tag("resumable", "false").counter().count()).isEqualTo(1);
  }

  @Test
  void meters_haveTheTagAndThePrefix() {
    List<Meter> meters;
    try (DB db = open(Options.builder())) {
      new DatabaseMetrics(db.admin(), "orders").bindTo(registry);
      meters = registry.getMeters();
      assertThat(meters).isNotEmpty();
      assertThat(meters).allMatch(meter -> "orders".equals(meter.getId().getTag("database")));
      assertThat(meters).allMatch(meter -> meter.getId().getName().startsWith("kv."));
    }
  }
}
