package dev.kv.core.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DBIterator;
import dev.kv.ReadOptions;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.errors.ConflictException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;

/**
 * Virtual threads that read, write, and wait for each other and for syncs, recorded by the Flight
 * Recorder. From JDK 24 on, {@code synchronized} pins no carrier thread; a thread that waits inside
 * a native call or a class initializer would.
 */
@EnabledForJreRange(minVersion = 24)
class VirtualThreadsTest extends DbTestBase {
  private static final String PINNED = "jdk.VirtualThreadPinned";
  private static final int THREADS = 64;
  private static final int KEYS = 2000;

  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  /** Starts a virtual thread, of which the class library of JDK 17 knows nothing. */
  private static Thread start(Runnable body) throws ReflectiveOperationException {
    return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
  }

  private void turns(int seed, int turns) {
    Random random = new Random(seed);
    try {
      for (int i = 0; i < turns; i++) {
        turn(random, i);
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
  }

  private void turn(Random random, int number) {
    String key = key(random.nextInt(KEYS));
    put(key, randomValue(random, 300));
    get(key);
    switch (number % 10) {
      case 0 -> db.put(WriteOptions.SYNC, b(key), b("synced"));
      case 1 -> {
        WriteBatch batch = batch();
        batch.put(b(key), b("async"));
        db.writeAsync(WriteOptions.SYNC, batch).toCompletableFuture().join();
      }
      case 2 -> {
        try (DBIterator all = db.iterator()) {
          all.seek(b(key));
          for (int i = 0; i < 20 && all.isValid(); i++) {
            all.next();
          }
        }
      }
      case 3 -> db.getAll(List.of(b(key), b(key(0)), b(key(KEYS - 1))));
      case 4 -> db.compareAndSet(b(key), b("synced"), b("changed"));
      case 5 -> changeTheSameKey();
      case 6 -> db.forEach(ReadOptions.withPrefix(b(key.substring(0, 8))), (k, v) -> {});
      case 7 -> {
        if (random.nextInt(50) == 0) {
          db.admin().flush();
        }
      }
      default -> delete(key);
    }
  }

  /** All threads want the same key, so a transaction may meet another one at each attempt. */
  private void changeTheSameKey() {
    try {
      db.inTransaction(
          transaction -> {
            byte[] value = transaction.get(b(key(1)));
            transaction.put(b(key(1)), value == null ? b("first") : value);
          });
    } catch (ConflictException e) {
      // Another thread has changed it at each attempt
    }
  }

  private void runAll(int turns) throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      int seed = i;
      threads.add(start(() -> turns(seed, turns)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    if (failure.get() != null) {
      throw new AssertionError(failure.get());
    }
  }

  /** What a recording calls. */
  private interface Work {
    void run() throws Exception;
  }

  /** Returns how long carrier threads were pinned while the work ran, and where. */
  private List<RecordedEvent> pinsDuring(Work work) throws Exception {
    Path file = temp.resolve("pinned.jfr");
    try (Recording recording = new Recording()) {
      recording.enable(PINNED).withThreshold(Duration.ZERO).withStackTrace();
      recording.start();
      work.run();
      recording.stop();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals(PINNED))
        .toList();
  }

  @Test
  void readsWritesAndSyncs_pinNoCarrier() throws Exception {
    open(defaults().toBuilder().writeBufferSize(256 << 10).build());
    runAll(100); // initializes the classes, and fills several levels
    assertThat(pinsDuring(() -> runAll(100))).allMatch(VirtualThreadsTest::isOfANewClass);
  }

  /** Returns true for the pin of a class that is first used now, which each program meets once. */
  private static boolean isOfANewClass(RecordedEvent pin) {
    return pin.getStackTrace().getFrames().stream()
        .map(RecordedFrame::getMethod)
        .anyMatch(
            method -> method.getName().equals("<clinit>") || method.getName().equals("loadClass"));
  }

  /** Its initialization waits, which pins the carrier of the thread that needs it. */
  private static final class Slow {
    static final long WAITED = waited();

    private static long waited() {
      LockSupport.parkNanos(10_000_000);
      return System.nanoTime();
    }
  }

  @Test
  void recording_ofAThreadThatWaitsInAnInitializer_showsThePin() throws Exception {
    List<RecordedEvent> pins =
        pinsDuring(() -> start(() -> assertThat(Slow.WAITED).isNotZero()).join());
    assertThat(pins).isNotEmpty();
  }
}
