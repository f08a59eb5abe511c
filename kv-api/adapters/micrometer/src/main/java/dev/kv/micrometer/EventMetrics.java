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
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A listener that records the events of databases: timers {@code kv.open}, {@code kv.flush}, {@code
 * kv.compaction}, {@code kv.stall} and {@code kv.sync.slow}, counters {@code kv.damage}, {@code
 * kv.failure} and {@code kv.tables.deleted}. Thread-safe.
 *
 * <p>An event registers its meter if the registry has none of that name and tags; {@link #close}
 * removes the meters.
 */
public final class EventMetrics implements DBListener, AutoCloseable {
  private final MeterRegistry registry;
  private final Tags tags;
  private final Set<Meter> meters = ConcurrentHashMap.newKeySet();

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
      count("kv.damage", tags.and("during", lower(damage.during())));
    } else if (event instanceof FailureEvent failure) {
      String resumable = Boolean.toString(failure.resumable());
      count("kv.failure", tags.and("resumable", resumable));
    } else if (event instanceof TableDeletedEvent) {
      count("kv.tables.deleted", tags);
    }
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private void time(String name, Iterable<Tag> with, long micros) {
    Timer timer = registry.timer(name, with);
    meters.add(timer);
    timer.record(micros, TimeUnit.MICROSECONDS);
  }

  private void count(String name, Iterable<Tag> with) {
    Counter counter = registry.counter(name, with);
    meters.add(counter);
    counter.increment();
  }

  /**
   * Removes the meters of the events so far, also if another listener with the same tags records
   * them. A later event registers its meter again, from zero: close the databases first.
   */
  @Override
  public void close() {
    for (Meter meter : meters) {
      meters.remove(meter); // first: an event meanwhile may register and add its successor
      registry.remove(meter);
    }
  }
}
