package dev.kv.core.shared;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The memtables that all databases are writing to, against one limit for their memory. If they take
 * more together, it chooses memtables to flush before they are full. Thread-safe.
 *
 * <p>It chooses the memtable with the highest product of its memory and its age. Memory alone would
 * flush the small memtables of busy databases again and again, and leave the limit to those of idle
 * ones; with the age, an idle memtable is flushed sooner or later, however small it is. The age is
 * measured by what all databases have acquired since it was begun, and not by the clock: nothing is
 * flushed while nobody writes.
 */
public final class WriteBuffers {
  /**
   * The memtable that one database is writing to. While the database refuses writes, it has nothing
   * to flush, and nothing slows it down. Any thread may call the methods.
   */
  public interface Buffer {
    /** Returns the bytes of its memory; 0 if it is empty. */
    long bytes();

    /** Returns the {@link #clock} when it was begun. */
    long begun();

    /** Returns true if a flush was requested, or if an earlier memtable waits for its flush. */
    boolean isFlushPending();

    /** Requests a flush; must be quick. Called again if it has had no effect yet. */
    void requestFlush();

    /** Returns true while level 0 slows the writers of the database down, or stops them. */
    default boolean isSlowedByLevel0() {
      return false;
    }
  }

  private final long limit;

  /** Replaced as a whole: a loop over an array allocates nothing. */
  private volatile Buffer[] buffers = {};

  private final AtomicLong clock = new AtomicLong();
  private final AtomicLong releases = new AtomicLong();

  /**
   * Creates the object.
   *
   * @param limit the limit in bytes; {@link Long#MAX_VALUE} for none
   */
  public WriteBuffers(long limit) {
    this.limit = limit;
  }

  /** Returns the bytes that all memtables have acquired so far. */
  public long clock() {
    return clock.get();
  }

  /** Adds the memtables of one database. */
  public synchronized void add(Buffer buffer) {
    Buffer[] more = Arrays.copyOf(buffers, buffers.length + 1);
    more[buffers.length] = buffer;
    buffers = more;
  }

  /** Removes what was added. It may still be called once for each thread that allocates. */
  public synchronized void remove(Buffer buffer) {
    List<Buffer> rest = new ArrayList<>(Arrays.asList(buffers));
    rest.remove(buffer);
    buffers = rest.toArray(new Buffer[0]);
  }

  /**
   * Returns true while level 0 slows the writers of a database down, or stops them. Its compaction
   * may wait for the thread of another database's.
   */
  public boolean isAnySlowedByLevel0() {
    for (Buffer buffer : buffers) {
      if (buffer.isSlowedByLevel0()) {
        return true;
      }
    }
    return false;
  }

  /** Returns how often memory was released so far, after a flush or otherwise. */
  public long releases() {
    return releases.get();
  }

  /**
   * Notes that a memtable has acquired memory, and requests the flushes that are due then; or that
   * one has released memory, if {@code bytes} is negative.
   */
  void acquired(long bytes) {
    if (bytes < 0) {
      releases.incrementAndGet();
      return;
    }
    clock.addAndGet(bytes);
    if (limit == Long.MAX_VALUE) {
      return;
    }
    long excess = -limit;
    for (Buffer buffer : buffers) {
      if (!buffer.isFlushPending()) {
        excess += buffer.bytes();
      }
    }
    if (excess > 0) {
      requestPendingAgain();
    }
    while (excess > 0) {
      Buffer chosen = choose(null);
      if (chosen == null) {
        return;
      }
      excess -= chosen.bytes();
      chosen.requestFlush();
    }
  }

  /**
   * Requests the flushes again that have been requested, and returns true if there are any. A
   * request has no effect if a writer was active at that moment and no other write followed.
   */
  @CanIgnoreReturnValue
  private boolean requestPendingAgain() {
    boolean any = false;
    for (Buffer buffer : buffers) {
      if (buffer.isFlushPending()) {
        any = true;
        buffer.requestFlush();
      }
    }
    return any;
  }

  /**
   * Makes a flush of some memtable release its memory soon. Called by a writer that finds none.
   *
   * @param own the memtable of the writer, which cannot be flushed now
   * @return false if there is no other memtable to flush
   */
  public boolean relieve(Buffer own) {
    if (requestPendingAgain()) {
      return true;
    }
    Buffer chosen = choose(own);
    if (chosen == null) {
      return false;
    }
    chosen.requestFlush();
    return true;
  }

  private @Nullable Buffer choose(@Nullable Buffer except) {
    long now = clock.get();
    Buffer best = null;
    double most = 0;
    for (Buffer buffer : buffers) {
      double worth = (double) buffer.bytes() * (1 + now - buffer.begun());
      if (worth > most && buffer != except && !buffer.isFlushPending()) {
        best = buffer;
        most = worth;
      }
    }
    return best;
  }
}
