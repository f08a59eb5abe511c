package dev.kv.core.event;

import dev.kv.event.DBEvent;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Records events in the JVM's flight recorder. Does nothing, at the price of reading one field,
 * until a recording has begun, and if the JVM runs without the module {@code jdk.jfr}.
 */
final class Recorder {
  private static final boolean PRESENT = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  private Recorder() {}

  /** Names a class of {@code jdk.jfr} only if the module is there. */
  private static boolean isOn() {
    return PRESENT && FlightRecorder.isInitialized();
  }

  /** Begins an event of this thread; returns null if such events are not recorded. */
  static @Nullable Object begin(Events.Kind kind) {
    return isOn() ? JfrEvents.begin(kind) : null;
  }

  /** Records an event; {@code begun} is the result of {@link #begin}, or null. */
  static void record(DBEvent event, @Nullable Object begun) {
    if (isOn()) {
      JfrEvents.record(event, begun);
    }
  }
}
