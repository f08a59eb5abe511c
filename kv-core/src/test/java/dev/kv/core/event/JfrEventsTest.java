package dev.kv.core.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.event.CloseEvent;
import dev.kv.event.CompactionEvent;
import dev.kv.event.DBEvent;
import dev.kv.event.DamageEvent;
import dev.kv.event.FailureEvent;
import dev.kv.event.FlushEvent;
import dev.kv.event.OpenEvent;
import dev.kv.event.StallEvent;
import dev.kv.event.SyncEvent;
import dev.kv.event.TableDeletedEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.Recording;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The fields of the events in the flight recorder. */
class JfrEventsTest {
  private static final Duration BEGUN = Duration.ofNanos(200_000);

  @TempDir Path temp;
  private final Events events = new Events("db", null);

  /** Records an event that takes some time. */
  private void record(Events.Kind kind, DBEvent event) {
    Object begun = events.begin(kind);
    long end = System.nanoTime() + 2 * BEGUN.toNanos();
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    events.record(event, begun);
  }

  private void record(DBEvent event) {
    events.record(event, null);
  }

  private static Map<String, @Nullable Object> fields(RecordedEvent event) {
    Map<String, @Nullable Object> fields = new HashMap<>();
    for (ValueDescriptor each : event.getFields()) {
      String name = each.getName();
      if (!List.of("startTime", "duration", "eventThread", "stackTrace").contains(name)) {
        fields.put(name, event.getValue(name));
      }
    }
    return fields;
  }

  private List<RecordedEvent> recorded(Runnable action) throws IOException {
    Path file = temp.resolve("recording.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("dev.kv.Sync").withThreshold(Duration.ZERO);
      recording.start();
      action.run();
      recording.stop();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().startsWith("dev.kv."))
        .toList();
  }

  private static RecordedEvent only(List<RecordedEvent> events, String name) {
    List<RecordedEvent> found =
        events.stream().filter(event -> event.getEventType().getName().equals(name)).toList();
    assertThat(found).as(name).hasSize(1);
    return found.get(0);
  }

  @Test
  void record_ofEachEvent_hasItsFieldsAndTheTimeFromItsBeginning() throws IOException {
    List<RecordedEvent> found =
        recorded(
            () -> {
              record(Events.Kind.OPEN, new OpenEvent("db", true, 3, 2, 10, 99, 1));
              record(Events.Kind.FLUSH, new FlushEvent("db", 7, 2, 4096, 10, 1));
              record(
                  Events.Kind.COMPACTION,
                  new CompactionEvent("db", "size", 1, 2, 3, 4, 5, 600, 500, 70, 60, 1));
              record(
                  Events.Kind.STALL, new StallEvent("db", StallEvent.Reason.LEVEL_0_STOP, 36, 1));
              record(Events.Kind.SYNC, new SyncEvent("db", 1));
              record(new CloseEvent("db"));
              record(new DamageEvent("db", DamageEvent.During.READ, "000005.ldb", 7, "bad"));
              record(new TableDeletedEvent("db", 5));
              record(new FailureEvent("db", "a flush", new IOException("no space"), true));
            });
    assertThat(found).hasSize(9);
    assertThat(fields(only(found, "dev.kv.Open")))
        .isEqualTo(
            Map.of(
                "database",
                "db",
                "readOnly",
                true,
                "tables",
                3,
                "logs",
                2,
                "batches",
                10L,
                "droppedBytes",
                99L));
    assertThat(fields(only(found, "dev.kv.Flush")))
        .isEqualTo(
            Map.of("database", "db", "table", 7L, "level", 2, "bytes", 4096L, "entries", 10L));
    Map<String, @Nullable Object> compaction = fields(only(found, "dev.kv.Compaction"));
    assertThat(compaction)
        .hasSize(11)
        .containsEntry("database", "db")
        .containsEntry("reason", "size")
        .containsEntry("level", 1)
        .containsEntry("outputLevel", 2)
        .containsEntry("inputs", 3)
        .containsEntry("nextLevelInputs", 4)
        .containsEntry("outputs", 5)
        .containsEntry("bytesRead", 600L)
        .containsEntry("bytesWritten", 500L)
        .containsEntry("entriesRead", 70L)
        .containsEntry("entriesWritten", 60L);
    assertThat(fields(only(found, "dev.kv.Stall")))
        .isEqualTo(Map.of("database", "db", "reason", "LEVEL_0_STOP", "level0Tables", 36));
    assertThat(fields(only(found, "dev.kv.Sync"))).isEqualTo(Map.of("database", "db"));
    assertThat(fields(only(found, "dev.kv.Close"))).isEqualTo(Map.of("database", "db"));
    assertThat(fields(only(found, "dev.kv.Damage")))
        .isEqualTo(
            Map.of(
                "database",
                "db",
                "during",
                "READ",
                "file",
                "000005.ldb",
                "offset",
                7L,
                "message",
                "bad"));
    assertThat(fields(only(found, "dev.kv.TableDeleted")))
        .isEqualTo(Map.of("database", "db", "table", 5L));
    assertThat(fields(only(found, "dev.kv.Failure")))
        .isEqualTo(
            Map.of(
                "database",
                "db",
                "during",
                "a flush",
                "cause",
                "java.io.IOException: no space",
                "resumable",
                true));
    for (String timed : List.of("Open", "Flush", "Compaction", "Stall", "Sync")) {
      assertThat(only(found, "dev.kv." + timed).getDuration())
          .as(timed)
          .isGreaterThanOrEqualTo(BEGUN);
    }
  }

  /** The recording may have begun between the two. */
  @Test
  void record_ofAnEventWhoseBeginningWasNotRecorded_hasItsFields() throws IOException {
    assertThat(events.begin(Events.Kind.STALL)).as("without a recording").isNull();
    List<RecordedEvent> found =
        recorded(
            () -> {
              record(new OpenEvent("db", true, 3, 2, 10, 99, 1));
              record(new FlushEvent("db", 7, 2, 4096, 10, 1));
              record(new CompactionEvent("db", "size", 1, 2, 3, 4, 5, 600, 500, 70, 60, 1));
              record(new StallEvent("db", StallEvent.Reason.LEVEL_0_STOP, 36, 1));
              record(new SyncEvent("db", 1));
            });
    assertThat(found)
        .extracting(event -> event.getEventType().getName())
        .containsExactlyInAnyOrder(
            "dev.kv.Open", "dev.kv.Flush", "dev.kv.Compaction", "dev.kv.Stall", "dev.kv.Sync");
    assertThat(found).allMatch(event -> event.getString("database").equals("db"));
  }
}
