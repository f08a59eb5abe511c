package dev.kv.core.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.WriteOptions;
import dev.kv.core.Children;
import dev.kv.core.db.DbTestBase;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;

/** The events of the JVM's flight recorder. */
class FlightRecorderTest extends DbTestBase {

  @Test
  void recording_hasTheEventsOfADatabase() throws IOException {
    Path file = temp.resolve("recording.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("dev.kv.Sync").withThreshold(Duration.ZERO);
      recording.start();
      open();
      for (int round = 0; round < 3; round++) {
        db.put(WriteOptions.SYNC, b("a"), b("1"));
        put("b", "2");
        db.admin().flush();
      }
      compact(null, null);
      close();
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events =
        RecordingFile.readAllEvents(file).stream()
            .filter(event -> event.getEventType().getName().startsWith("dev.kv."))
            .toList();
    Set<String> names =
        events.stream().map(event -> event.getEventType().getName()).collect(Collectors.toSet());
    assertThat(names)
        .contains(
            "dev.kv.Open",
            "dev.kv.Close",
            "dev.kv.Flush",
            "dev.kv.Compaction",
            "dev.kv.Sync",
            "dev.kv.TableDeleted");
    assertThat(events).allMatch(event -> event.getString("database").equals(directory.toString()));
    RecordedEvent flush = first(events, "dev.kv.Flush");
    assertThat(flush.getLong("entries")).isEqualTo(2);
    assertThat(flush.getDuration()).isPositive();
    assertThat(flush.getThread().getJavaName()).isEqualTo("kv-flush");
    RecordedEvent compaction = first(events, "dev.kv.Compaction");
    assertThat(compaction.getString("reason")).isEqualTo("manual");
    assertThat(compaction.getLong("entriesWritten")).isEqualTo(2);
    assertThat(first(events, "dev.kv.Open").getDuration()).isPositive();
    assertThat(first(events, "dev.kv.Sync").getStackTrace().getFrames()).isNotEmpty();
  }

  private static RecordedEvent first(List<RecordedEvent> events, String name) {
    return events.stream()
        .filter(event -> event.getEventType().getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** Uses a database in a JVM. */
  static final class Using {
    private Using() {}

    public static void main(String[] args) {
      if (ModuleLayer.boot().findModule("jdk.jfr").isPresent()) {
        throw new AssertionError("the JVM has jdk.jfr");
      }
      try (dev.kv.DB db =
          dev.kv.DB.open(
              Path.of(args[0]), dev.kv.Options.builder().createIfMissing(true).build())) {
        db.put(WriteOptions.SYNC, b("a"), b("1"));
        db.admin().flush();
        System.out.println("value " + s(db.get(b("a"))));
      }
    }
  }

  @Test
  void jvm_withoutTheModule_runsTheEngine() throws IOException, InterruptedException {
    Children.Ended child =
        Children.run(
            List.of("--limit-modules", "java.base,java.logging,java.management,jdk.unsupported"),
            Using.class,
            directory.toString());
    assertThat(child.output()).contains("value 1");
    assertThat(child.exitCode()).isZero();
  }
}
