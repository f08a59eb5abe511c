package dev.kv.core.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.logging.CapturedLog;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingWritableFile;
import dev.kv.env.SequentialFile;
import dev.kv.env.WritableFile;
import dev.kv.errors.CorruptionException;
import dev.kv.event.DBEvent;
import dev.kv.event.DBListener;
import dev.kv.event.DamageEvent;
import dev.kv.event.FailureEvent;
import dev.kv.event.TableDeletedEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EventsTest {
  private static final Path DIRECTORY = Path.of("/db");

  private final List<DBEvent> heard = new ArrayList<>();

  private static DBEvent event(long table) {
    return new TableDeletedEvent("db", table);
  }

  @Test
  void post_withoutListener_wakesNobody() {
    Events events = new Events("db", null);
    AtomicInteger woken = new AtomicInteger();
    events.onPost(woken::incrementAndGet);
    events.post(event(1));
    assertThat(woken).hasValue(0);
  }

  @Test
  void post_isDeliveredLater_inOrder() {
    Events events = new Events("db", heard::add);
    AtomicInteger woken = new AtomicInteger();
    events.onPost(woken::incrementAndGet);
    events.post(event(1));
    events.post(event(2));
    assertThat(heard).isEmpty();
    assertThat(woken).hasValue(2);
    events.deliver();
    assertThat(heard).containsExactly(event(1), event(2));
    events.deliver();
    assertThat(heard).hasSize(2);
  }

  @Test
  void listener_thatThrows_receivesTheNextEvent() {
    Events events =
        new Events(
            "db",
            event -> {
              heard.add(event);
              throw new AssertionError("from the listener");
            });
    events.post(event(1));
    events.post(event(2));
    try (CapturedLog log = new CapturedLog()) {
      events.deliver();
      assertThat(log.lines("WARN"))
          .hasSize(2)
          .allMatch(line -> line.contains("the listener threw an exception, which is ignored"));
      assertThat(log.lines()).contains("java.lang.AssertionError: from the listener");
    }
    assertThat(heard).containsExactly(event(1), event(2));
  }

  @Test
  void post_withoutListener_isLogged() {
    Events events = new Events("db", null);
    try (CapturedLog log = new CapturedLog()) {
      events.post(new DamageEvent("db", DamageEvent.During.READ, "000005.ldb", 7, "bad"));
      assertThat(log.lines("WARN"))
          .singleElement()
          .satisfies(line -> assertThat(line).endsWith("db: damage: bad"));
    }
  }

  @Test
  void listener_thatPosts_isNotCalledRecursively() {
    List<Integer> depths = new ArrayList<>();
    AtomicInteger depth = new AtomicInteger();
    Events[] self = {null};
    Events events =
        new Events(
            "db",
            event -> {
              depths.add(depth.incrementAndGet());
              if (((TableDeletedEvent) event).table() < 3) {
                self[0].post(event(((TableDeletedEvent) event).table() + 1));
                self[0].deliver();
              }
              assertThat(self[0].isDelivering()).isTrue();
              depth.decrementAndGet();
            });
    self[0] = events;
    events.post(event(1));
    events.deliver();
    assertThat(depths).containsExactly(1, 1, 1);
    assertThat(events.isDelivering()).isFalse();
  }

  @Test
  void post_beyondTheLimit_isDropped_andLaterEventsAreHeardAgain() {
    Events events = new Events("db", heard::add);
    for (int i = 0; i < DBListener.MAX_WAITING + 10; i++) {
      events.post(event(i));
    }
    try (CapturedLog log = new CapturedLog()) {
      events.deliver();
      assertThat(heard).hasSize(DBListener.MAX_WAITING);
      assertThat(log.lines("WARN"))
          .singleElement()
          .satisfies(line -> assertThat(line).contains("db: 10 events were dropped"));
      events.post(event(-1));
      events.deliver();
      assertThat(heard).hasSize(DBListener.MAX_WAITING + 1);
      assertThat(log.lines()).hasSize(1);
    }
  }

  /** The job that posts it must not fail because of it. */
  @Test
  void post_ofACauseThatCannotBePrinted_throwsNothing_andLaterEventsAreHeard() {
    Events events = new Events("db", heard::add);
    Exception unprintable =
        new Exception("cause") {
          @Override
          public String toString() {
            throw new IllegalStateException("from the exception of the program");
          }
        };
    events.post(new FailureEvent("db", "a flush", unprintable, true));
    events.post(event(1));
    events.deliver();
    assertThat(heard).containsExactly(event(1));
  }

  @Test
  void close_deliversWhatWaits_andForgetsLog() throws Exception {
    Env env = Env.inMemory();
    env.createDirectory(DIRECTORY);
    Events events = new Events("db", heard::add);
    events.beginInfoLog(env, DIRECTORY);
    events.post(event(1));
    events.close();
    assertThat(heard).containsExactly(event(1));
    events.post(event(2));
    events.close();
    assertThat(heard).containsExactly(event(1), event(2));
    assertThat(read(env, "LOG")).contains("table 1").doesNotContain("table 2");
  }

  @Test
  void damage_ofOnePlace_isPostedOnceForEachFinder() {
    Events events = new Events("db", heard::add);
    CorruptionException damage = new CorruptionException("bad", "000005.ldb", 7);
    events.damage(DamageEvent.During.READ, damage);
    events.damage(DamageEvent.During.READ, damage);
    events.damage(DamageEvent.During.COMPACTION, damage);
    events.damage(DamageEvent.During.READ, new CorruptionException("bad", "000005.ldb", 8));
    events.deliver();
    assertThat(heard).hasSize(3);
    assertThat(((DamageEvent) heard.get(0)).offset()).isEqualTo(7);
  }

  /** At most this many places are remembered. */
  private static final int PLACES = 1024;

  @Test
  void damage_ofMorePlacesThanAreRemembered_repeatsOnlyThatOfTheOthers() {
    try (CapturedLog log = new CapturedLog()) {
      Events events = new Events("db", heard::add);
      for (int i = 0; i < PLACES; i++) {
        events.damage(DamageEvent.During.READ, new CorruptionException("bad", "000005.ldb", i));
      }
      events.deliver();
      assertThat(heard).hasSize(PLACES);
      CorruptionException known = new CorruptionException("bad", "000005.ldb", PLACES - 1);
      events.damage(DamageEvent.During.READ, known);
      events.deliver();
      assertThat(heard).as("a place that is remembered").hasSize(PLACES);
      CorruptionException other = new CorruptionException("bad", "000005.ldb", PLACES);
      events.damage(DamageEvent.During.READ, other);
      events.damage(DamageEvent.During.READ, other);
      events.deliver();
      assertThat(heard).as("a place that is not remembered").hasSize(PLACES + 2);
      assertThat(log.lines("WARN")).hasSize(PLACES + 2);
    }
  }

  @Test
  void infoLog_isRenamedAtTheNextOpen_asCppDoes() throws Exception {
    Env env = Env.inMemory();
    env.createDirectory(DIRECTORY);
    for (int open = 1; open <= 3; open++) {
      Events events = new Events("db", null);
      events.beginInfoLog(env, DIRECTORY);
      events.post(event(open));
      events.close();
    }
    assertThat(env.list(DIRECTORY)).containsExactlyInAnyOrder("LOG", "LOG.old");
    assertThat(read(env, "LOG"))
        .matches("\\d{4}/\\d\\d/\\d\\d-\\d\\d:\\d\\d:\\d\\d\\.\\d{6} \\d+ deleted table 3\n");
    assertThat(read(env, "LOG.old")).endsWith("deleted table 2\n");
  }

  @Test
  void infoLog_thatCannotBeWritten_stopsNothing() throws Exception {
    Env env = Env.inMemory();
    env.createDirectory(DIRECTORY);
    env.createDirectory(DIRECTORY.resolve("LOG"));
    env.createDirectory(DIRECTORY.resolve("LOG.old"));
    Events events = new Events("db", heard::add);
    try (CapturedLog log = new CapturedLog()) {
      events.beginInfoLog(new UnwritableEnv(env), DIRECTORY);
      assertThat(log.lines("WARN"))
          .singleElement()
          .satisfies(line -> assertThat(line).contains("cannot create " + DIRECTORY));
    }
    events.post(event(1));
    events.close();
    assertThat(heard).containsExactly(event(1));
  }

  /** The lines must be there if the process ends. */
  @Test
  void infoLog_ofAnOpenDatabase_hasTheLinesSoFar() throws Exception {
    Env memory = Env.inMemory();
    memory.createDirectory(DIRECTORY);
    Env buffering =
        new ForwardingEnv(memory) {
          @Override
          public WritableFile createWritable(Path file) throws IOException {
            ByteArrayOutputStream buffer = new ByteArrayOutputStream();
            return new ForwardingWritableFile(super.createWritable(file)) {
              @Override
              public void append(ByteBuffer bytes) {
                while (bytes.hasRemaining()) {
                  buffer.write(bytes.get());
                }
              }

              @Override
              public void flush() throws IOException {
                super.append(ByteBuffer.wrap(buffer.toByteArray()));
                buffer.reset();
              }
            };
          }
        };
    Events events = new Events("db", null);
    events.beginInfoLog(buffering, DIRECTORY);
    events.post(event(1));
    events.deliver();
    assertThat(read(memory, "LOG")).endsWith("deleted table 1\n");
    events.post(event(2));
    events.deliver();
    assertThat(read(memory, "LOG")).endsWith("deleted table 2\n");
    events.close();
  }

  @Test
  void infoLog_whoseWriteFails_ends_andTheListenerHearsTheRest() throws Exception {
    Env memory = Env.inMemory();
    memory.createDirectory(DIRECTORY);
    UnwritableEnv env = new UnwritableEnv(memory);
    env.failsAtCreation = false;
    Events events = new Events("db", heard::add);
    env.failsAtClose = true;
    events.beginInfoLog(env, DIRECTORY);
    events.post(event(1));
    try (CapturedLog log = new CapturedLog()) {
      events.deliver();
      assertThat(log.lines("WARN"))
          .satisfiesExactly(
              line -> assertThat(line).contains("cannot write " + DIRECTORY, "it ends here"),
              line -> assertThat(line).contains("closing " + DIRECTORY, "failed"));
    }
    assertThat(env.closes).isEqualTo(1);
    events.post(event(2));
    events.close();
    assertThat(env.appends).isEqualTo(1);
    assertThat(env.closes).isEqualTo(1);
    assertThat(heard).containsExactly(event(1), event(2));
  }

  private static String read(Env env, String name) throws Exception {
    byte[] bytes = new byte[(int) env.size(DIRECTORY.resolve(name))];
    try (SequentialFile file = env.openSequential(DIRECTORY.resolve(name))) {
      ByteBuffer into = ByteBuffer.wrap(bytes);
      while (into.hasRemaining()) {
        assertThat(file.read(into)).isPositive();
      }
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
