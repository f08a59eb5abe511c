package dev.kv.micrometer;

import dev.kv.event.CompactionEvent;
import dev.kv.event.DBEvent;
import dev.kv.event.DBListener;
import dev.kv.event.DamageEvent;
import dev.kv.event.FailureEvent;
import dev.kv.event.FlushEvent;
import dev.kv.event.OpenEvent;
import dev.kv.event.StallEvent;
import dev.kv.event.SyncEvent;
import dev.kv.event.TableDeletedEvent;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A listener that records the events of databases: timers {@code kv.open}, {@code kv.flush}, {@code
 * kv.compaction}, {@code kv.stall} and {@code kv.sync.slow}, counters {@code kv.damage}, {@code
 * kv.failure} and {@code kv.tables.deleted}. Thread-safe.
 */
public final class EventMetrics implements DBListener {
  private final MeterRegistry registry;
  private final Tags tags;

  /**
   * Creates a listener, for {@code Options.monitoring}.
   *
   * @param registry the registry that receives the meters
   * @param tags the tags of all meters, such as the name of the database
   */
  public EventMetrics(MeterRegistry registry, Iterable<Tag> tags) {
    this.registry = Objects.requireNonNull(registry, "registry");
    this.tags = Tags.of(tags);
  }

  /**
   * Creates a listener whose meters have the tag {@code database}.
   *
   * @param registry the registry that receives the meters
   * @param name the value of the tag
   */
  public EventMetrics(MeterRegistry registry, String name) {
    this(registry, Tags.of("database", name));
  }

  @Override
  public void onEvent(DBEvent event) {
    if (event instanceof FlushEvent flush) {
      time("kv.flush", tags, flush.micros());
    } else if (event instanceof CompactionEvent compaction) {
      Tags more = Tags.of("level", Integer.toString(compaction.outputLevel()));
      time("kv.compaction", tags.and(more).and("reason", compaction.reason()), compaction.micros());
    } else if (event instanceof StallEvent stall) {
      time("kv.stall", tags.and("reason", lower(stall.reason())), stall.micros());
    } else if (event instanceof SyncEvent sync) {
      time("kv.sync.slow", tags, sync.micros());
    } else if (event instanceof OpenEvent open) {
      time("kv.open", tags, open.micros());
    } else if (event instanceof DamageEvent damage) {
      registry.counter("kv.damage", tags.and("during", lower(damage.during()))).increment();
    } else if (event instanceof FailureEvent failure) {
      String resumable = Boolean.toString(failure.resumable());
      registry.counter("kv.failure", tags.and("resumable", resumable)).increment();
    } else if (event instanceof TableDeletedEvent) {
      registry.counter("kv.tables.deleted", tags).increment();
    }
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private void time(String name, Iterable<Tag> with, long micros) {
    registry.timer(name, with).record(micros, TimeUnit.MICROSECONDS);
  }
}
