package dev.kv.core.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.admin.DBStats;
import dev.kv.core.event.Events;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.memory.Stripes;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBClosedException;
import dev.kv.event.DamageEvent;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The iterators that are not closed. The close of the database revokes them, and those that a
 * program lost without closing them are released. Thread-safe.
 *
 * <pre>
 * registry -> Entry -> PinnedView -> pins
 *             Entry ~> DBIteratorImpl -> PinnedView    (~> is weak)
 *             slices of the iterator -> DBIteratorImpl
 *  1. Nothing here and nothing in a view refers strongly to the object that the program has. So
 *     the collector clears the entry's reference when the program has lost the iterator and its
 *     slices, and enqueues the entry.
 *  2. The threads that open and close iterators, the one that asks for statistics and the
 *     maintenance thread take entries from the queue, and close their views. A step of an iterator
 *     does nothing for this.
 *  3. An entry leaves the registry when its view is released, and not before. If a close finds a
 *     move under way that does not see it (see CursorGuard), the entry stays, and its collection
 *     closes the view again.
 *  4. After close() no iterator is usable, and none is added. add and the close of a stripe hold
 *     the stripe's lock: the entry is in the list that the close revokes, or add reads that the
 *     stripe is closed and throws.
 * </pre>
 */
final class OpenIterators implements AutoCloseable {
  private static final EngineLogger LOG = EngineLogger.of(OpenIterators.class);

  /** At most this many places are logged. */
  private static final int MAX_PLACES = 32;

  // Constant after construction, and thread-safe each.
  private final Stripe[] stripes = new Stripe[Stripes.COUNT];
  private final ReferenceQueue<DBIteratorImpl> collected = new ReferenceQueue<>();
  private final AtomicLong leaked = new AtomicLong();
  private final Events events;
  private final boolean tracked;

  /** The places that were logged; one null if places are not recorded. */
  @GuardedBy("this")
  private final Set<@Nullable List<StackTraceElement>> logged = new HashSet<>();

  /**
   * Creates an empty registry.
   *
   * @param events receives the damage that iterators meet, and names the database in messages
   * @param tracked true if each iterator records where it was opened
   */
  OpenIterators(Events events, boolean tracked) {
    this.events = events;
    this.tracked = tracked;
    for (int i = 0; i < stripes.length; i++) {
      stripes[i] = new Stripe();
    }
  }

  /**
   * Adds an iterator until its view is released; {@link DBClosedException} after the close.
   *
   * @param view what the iterator pins
   */
  void add(DBIteratorImpl iterator, PinnedView view) {
    Entry entry = new Entry(iterator, view, this, System.nanoTime());
    view.register(entry);
    entry.stripe().add(entry);
  }

  /** Returns the number of iterators that are not closed. */
  int count() {
    return Arrays.stream(stripes).mapToInt(Stripe::count).sum();
  }

  /** Returns how many iterators were opened. */
  long opened() {
    return Arrays.stream(stripes).mapToLong(Stripe::opened).sum();
  }

  /** Returns the oldest iterators that are not closed, the oldest first, at most {@code limit}. */
  List<DBStats.OpenIterator> oldest(int limit) {
    List<Entry> open = new ArrayList<>();
    for (Stripe stripe : stripes) {
      stripe.addTo(open);
    }
    long now = System.nanoTime();
    return open.stream()
        .sorted(Comparator.comparingLong((Entry entry) -> now - entry.openedAtNanos).reversed())
        .limit(limit)
        .map(entry -> entry.describe(now))
        .toList();
  }

  /** Reports damage that an iterator has met. */
  void damaged(CorruptionException damage) {
    events.damage(DamageEvent.During.READ, damage);
  }

  /** Returns how many iterators were collected without having been closed. */
  long leaked() {
    return leaked.get();
  }

  /** Releases what collected iterators pin. Cheap if there is none. */
  void releaseCollected() {
    Reference<? extends DBIteratorImpl> reference = collected.poll();
    if (reference != null) {
      releaseAll(reference);
    }
  }

  private void releaseAll(Reference<? extends DBIteratorImpl> first) {
    int count = 0;
    List<Entry> toReport = new ArrayList<>();
    for (Reference<? extends DBIteratorImpl> at = first; at != null; at = collected.poll()) {
      Entry entry = (Entry) at;
      if (entry.view.close()) {
        count++;
        if (isNewPlace(entry)) {
          toReport.add(entry);
        }
      }
    }
    leaked.addAndGet(count);
    for (Entry entry : toReport) {
      report(count, entry.opened);
    }
  }

  /** Returns true once for each place where iterators are opened; once at all if none is known. */
  private synchronized boolean isNewPlace(Entry entry) {
    Throwable opened = entry.opened;
    return logged.size() < MAX_PLACES
        && logged.add(opened == null ? null : Arrays.asList(opened.getStackTrace()));
  }

  private void report(int count, @Nullable Throwable opened) {
    LOG.warn(
        "{}: {} iterator(s) garbage-collected without having been closed; until then each held"
            + " memory and files. Close every iterator, for example with try-with-resources. {}",
        events.database(),
        count,
        opened == null
            ? "Start the JVM with -Dkv.trackIterators=true to log where they were opened. Later"
                + " ones are counted in DBStats.views().leakedIterators() and not logged"
            : "The stack trace shows where one of them was opened; each place is logged once",
        opened);
  }

  /**
   * Revokes all iterators, and refuses new ones from now on. A second pass catches the moves that
   * ended during the first one; see {@link dev.kv.core.iterator.CursorGuard}.
   */
  @Override
  public void close() {
    releaseCollected();
    List<Entry> open = new ArrayList<>();
    for (Stripe stripe : stripes) {
      open.addAll(stripe.close());
    }
    for (int pass = 1; pass <= 2; pass++) {
      for (Entry entry : open) {
        entry.view.revoke();
      }
    }
  }

  /** The registration of one iterator: a node of the list of its stripe. */
  static final class Entry extends WeakReference<DBIteratorImpl> {
    private final PinnedView view;
    private final OpenIterators registry;
    private final @Nullable Throwable opened;
    private final long openedAtNanos;

    // Guarded by the stripe.
    private @Nullable Entry previous;
    private @Nullable Entry next;

    Entry(DBIteratorImpl iterator, PinnedView view, OpenIterators registry, long now) {
      super(iterator, registry.collected);
      this.view = view;
      this.registry = registry;
      openedAtNanos = now;
      opened = registry.tracked ? new Throwable("the iterator was opened here") : null;
    }

    DBStats.OpenIterator describe(long now) {
      Throwable place = opened;
      return new DBStats.OpenIterator(
          TimeUnit.NANOSECONDS.toMicros(now - openedAtNanos),
          place == null ? List.of() : Arrays.asList(place.getStackTrace()));
    }

    private Stripe stripe() {
      return registry.stripes[view.stripe()];
    }

    /** Takes the entry out of the registry, if it is in, and revokes the iterator's slices. */
    void remove() {
      stripe().remove(this);
      DBIteratorImpl iterator = get();
      if (iterator != null) {
        iterator.revokeSlices();
      }
    }
  }

  /** A {@link StripeList} that shares no cache line with the next one. */
  @SuppressWarnings("unused") // the fields take the memory
  private static final class Stripe extends StripeList {
    private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;
  }

  /** The iterators of one stripe of threads. */
  private static class StripeList {
    @GuardedBy("this")
    private @Nullable Entry first;

    @GuardedBy("this")
    private int count;

    @GuardedBy("this")
    private long opened;

    @GuardedBy("this")
    private boolean closed;

    synchronized void add(Entry entry) {
      if (closed) {
        throw new DBClosedException("the database is closed");
      }
      entry.next = first;
      if (first != null) {
        first.previous = entry;
      }
      first = entry;
      count++;
      opened++;
    }

    synchronized void remove(Entry entry) {
      Entry before = entry.previous;
      Entry after = entry.next;
      if (before == null && first != entry) {
        return;
      }
      if (before == null) {
        first = after;
      } else {
        before.next = after;
      }
      if (after != null) {
        after.previous = before;
      }
      entry.previous = null;
      entry.next = null;
      count--;
    }

    synchronized int count() {
      return count;
    }

    synchronized long opened() {
      return opened;
    }

    synchronized void addTo(List<Entry> open) {
      for (Entry at = first; at != null; at = at.next) {
        open.add(at);
      }
    }

    synchronized List<Entry> close() {
      closed = true;
      List<Entry> open = new ArrayList<>();
      addTo(open);
      return open;
    }
  }
}
