package dev.kv.core.db;

import dev.kv.admin.DBStats;
import dev.kv.core.event.Events;
import dev.kv.core.version.Version;
import dev.kv.event.OpenEvent;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One open, which becomes an {@link OpenEvent} when it has succeeded. For one thread. */
final class OpenTimer {
  private final Events events;
  private final @Nullable Object begun;
  private final long startNanos = System.nanoTime();

  /** Begins the event of an open. */
  OpenTimer(Events events) {
    this.events = events;
    begun = events.begin(Events.Kind.OPEN);
  }

  /** Posts the event. */
  void opened(Version version, DBStats.Recovery recovery, boolean readOnly) {
    events.post(
        new OpenEvent(
            events.database(),
            readOnly,
            version.fileCount(),
            recovery.logs(),
            recovery.records(),
            recovery.droppedBytes(),
            TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - startNanos)),
        begun);
  }
}
