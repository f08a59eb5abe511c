package dev.kv.core.event;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.core.logging.EngineLogger;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.event.DBEvent;
import dev.kv.event.DBListener;
import dev.kv.event.DamageEvent;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * The events of one database. Thread-safe.
 *
 * <pre>
 * post -> logger            at once
 *      -> flight recorder   at once, in the thread that did it
 *      -> queue -> deliver -> LOG, listener
 *  1. post accesses no file and calls no code of the program. Any thread may call it, with any lock
 *     held, as the leader of a group of writes too. In a database that is open for reading only,
 *     a post without a lock delivers, too.
 *  2. deliver is called with no lock held: by the maintenance thread, and at the end of the open
 *     and of the close. One thread delivers at a time, in the order of the queue.
 *  3. Without a listener and without LOG nothing is queued.
 * </pre>
 */
public final class Events implements AutoCloseable {
  private static final EngineLogger LOG = EngineLogger.of(Events.class);

  /** At most this many damaged places are remembered; the events of further ones may repeat. */
  private static final int MAX_PLACES = 1024;

  private static final boolean HAS_RECORDER = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  private final String database;
  private final @Nullable DBListener listener;
  private final Set<String> damaged = ConcurrentHashMap.newKeySet();

  private final ConcurrentLinkedQueue<Posted> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger queued = new AtomicInteger();
  private final AtomicLong dropped = new AtomicLong();
  private final ReentrantLock delivering = new ReentrantLock();
  private volatile Runnable wake = () -> {};
  private volatile boolean hasInfoLog;

  @GuardedBy("delivering")
  private @Nullable InfoLog infoLog;

  /** The events that take time. */
  public enum Kind {
    OPEN,
    FLUSH,
    COMPACTION,
    STALL,
    SYNC
  }

  /** An event that waits for its delivery. */
  private record Posted(Instant time, long thread, DBEvent event) {}

  /**
   * Creates the events of a database.
   *
   * @param database the directory, as the events name it
   * @param listener receives the events; null for none
   */
  public Events(String database, @Nullable DBListener listener) {
    this.database = database;
    this.listener = listener;
  }

  /** Returns the directory, as the events name it. */
  public String database() {
    return database;
  }

  /**
   * Sets what makes a thread call {@link #deliver} soon. It must be quick, must not throw, and is
   * called with any lock held.
   */
  public void onPost(Runnable waker) {
    wake = waker;
  }

  /** Begins to write LOG. Called with LOCK held, before the events of the open. */
  public void beginInfoLog(Env env, Path directory) {
    delivering.lock();
    try {
      infoLog = InfoLog.create(env, directory);
      hasInfoLog = infoLog != null;
    } finally {
      delivering.unlock();
    }
  }

  /**
   * Returns true if the JVM has a flight recorder, and a recording has begun: until then it costs
   * the read of one field. Names a class of {@code jdk.jfr} only if the module is there.
   */
  private static boolean isRecording() {
    return HAS_RECORDER && FlightRecorder.isInitialized();
  }

  /**
   * Tells the flight recorder that something begins now in this thread, and returns its event, to
   * be passed to {@link #post(DBEvent, Object)}; null if it does not record such events.
   */
  public @Nullable Object begin(Kind kind) {
    return isRecording() ? JfrEvents.begin(kind) : null;
  }

  /** Posts an event without a beginning. */
  public void post(DBEvent event) {
    post(event, null);
  }

  /**
   * Posts an event. Throws nothing: an event that cannot be told is counted as dropped.
   *
   * @param begun what {@link #begin} returned
   */
  public void post(DBEvent event, @Nullable Object begun) {
    try {
      tell(event, begun);
    } catch (Throwable e) {
      dropped.incrementAndGet();
    }
  }

  private void tell(DBEvent event, @Nullable Object begun) {
    EventText.log(LOG, event);
    record(event, begun);
    if (listener == null && !hasInfoLog) {
      return;
    }
    if (queued.incrementAndGet() > DBListener.MAX_WAITING) {
      queued.decrementAndGet();
      dropped.incrementAndGet();
    } else {
      queue.add(new Posted(Instant.now(), Thread.currentThread().getId(), event));
    }
    wake.run();
  }

  /** Records an event in the flight recorder alone. */
  public void record(DBEvent event, @Nullable Object begun) {
    if (isRecording()) {
      JfrEvents.record(event, begun);
    }
  }

  /** Posts an event of damage, unless the place is known. */
  public void damage(DamageEvent event) {
    String place = placeOf(event);
    boolean isNew = damaged.size() < MAX_PLACES ? damaged.add(place) : !damaged.contains(place);
    if (isNew) {
      post(event);
    }
  }

  /**
   * Posts the damage that an exception reports, unless the place is known.
   *
   * @param during what met the damage
   */
  public void damage(DamageEvent.During during, CorruptionException damage) {
    damage(
        new DamageEvent(
            database, during, damage.file(), damage.offset(), String.valueOf(damage.getMessage())));
  }

  /** Posts the damage that a read has met, unless the place is known or its failure is another. */
  public void readFailed(Throwable failure) {
    if (failure instanceof CorruptionException damage) {
      damage(DamageEvent.During.READ, damage);
    }
  }

  /**
   * Returns a damaged place and what found it, as text. A record would do as well, but on Java 17
   * the JDK keeps the class loader of a record whose generated equality was called.
   */
  private static String placeOf(DamageEvent event) {
    return event.during() + " " + event.offset() + " " + event.file();
  }

  /**
   * Passes the queued events to LOG and to the listener, unless another thread does. Throws
   * nothing. The caller holds no lock.
   */
  public void deliver() {
    while (!queue.isEmpty() && !isDelivering() && delivering.tryLock()) {
      try {
        deliverQueued();
      } finally {
        delivering.unlock();
      }
    }
  }

  /** Does the same, and waits until another thread that delivers has ended. */
  public void deliverAll() {
    if (!isDelivering()) {
      delivering.lock();
      try {
        deliverQueued();
      } finally {
        delivering.unlock();
      }
    }
  }

  @GuardedBy("delivering")
  private void deliverQueued() {
    for (Posted next = queue.poll(); next != null; next = queue.poll()) {
      queued.decrementAndGet();
      try {
        write(next);
        call(next.event());
      } catch (Throwable untold) {
        dropped.incrementAndGet();
      }
    }
    warnOfDropped();
  }

  private void warnOfDropped() {
    long lost = dropped.getAndSet(0);
    if (lost == 0) {
      return;
    }
    try {
      LOG.warn(
          "{}: {} events were dropped: too many waited for the listener, or memory was short",
          database,
          lost);
    } catch (Throwable untold) {
      dropped.addAndGet(lost);
    }
  }

  @GuardedBy("delivering")
  private void write(Posted next) {
    InfoLog file = infoLog;
    if (file != null) {
      file.line(next.time(), next.thread(), EventText.of(next.event()));
    }
  }

  private void call(DBEvent event) {
    DBListener program = listener;
    if (program == null) {
      return;
    }
    try {
      program.onEvent(event);
    } catch (Throwable e) {
      LOG.warn("{}: the listener threw an exception, which is ignored: {}", database, event, e);
    }
  }

  /** Returns true if the calling thread runs the listener now. */
  public boolean isDelivering() {
    return delivering.isHeldByCurrentThread();
  }

  /** Delivers the rest, and closes LOG. The caller holds no lock. A second call does nothing. */
  @Override
  public void close() {
    deliverAll();
    delivering.lock();
    try {
      InfoLog file = infoLog;
      infoLog = null;
      hasInfoLog = false;
      if (file != null) {
        file.close();
      }
    } finally {
      delivering.unlock();
    }
  }
}
