package dev.kv.core.write;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The queue of writers: which thread leads, and which wait, first come, first served.
 *
 * <pre>
 * newest: null        nobody leads
 *         LEADING     somebody leads, nobody came since the leader looked
 *         a writer    somebody leads; the writer is the last that came, its next the one before,
 *                     down to LEADING
 * oldest..youngest    the writers that came before those: the leader's own list, in order of
 *                     arrival
 * </pre>
 *
 * <p>Leadership passes by handing it to the first that waits, and ends only if nobody does; so a
 * thread that comes cannot overtake one that waits. All that a leader did happens before what its
 * successor does.
 */
final class CommitQueue {
  private static final Writer LEADING = new Writer();
  private static final VarHandle NEWEST;

  static {
    try {
      NEWEST = MethodHandles.lookup().findVarHandle(CommitQueue.class, "newest", Writer.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile @Nullable Writer newest;

  // Owned by the leader.
  private @Nullable Writer oldest;
  private @Nullable Writer youngest;

  /** Makes the caller the leader and returns true, if nobody leads. */
  boolean lead() {
    return newest == null && NEWEST.compareAndSet(this, null, LEADING);
  }

  /**
   * Makes the caller the leader and returns true, or puts {@code writer}, which must then be
   * awaited, in.
   */
  boolean leadOrEnqueue(Writer writer) {
    while (true) {
      Writer top = newest;
      if (top == null) {
        if (NEWEST.compareAndSet(this, null, LEADING)) {
          return true;
        }
      } else {
        writer.next = top;
        if (NEWEST.compareAndSet(this, top, writer)) {
          return false;
        }
      }
    }
  }

  /** Leader only: returns whether somebody waits. */
  boolean isContended() {
    return oldest != null || newest != LEADING;
  }

  /** Leader only: returns the writer that has waited longest, which stays in. */
  @Nullable Writer peek() {
    if (oldest == null && newest != LEADING) {
      takeStack();
    }
    return oldest;
  }

  /** Leader only: returns how many wait. */
  int waiting() {
    if (newest != LEADING) {
      takeStack();
    }
    int count = 0;
    for (Writer writer = oldest; writer != null; writer = writer.next) {
      count++;
    }
    return count;
  }

  /** Leader only: takes out the writer that has waited longest, its next cleared. */
  @Nullable Writer poll() {
    Writer first = peek();
    if (first != null) {
      oldest = first.next;
      if (oldest == null) {
        youngest = null;
      }
      first.next = null;
    }
    return first;
  }

  /** Leader only: passes leadership on, or ends it if nobody waits. */
  void handOver() {
    Writer next = poll();
    while (next == null) {
      if (NEWEST.compareAndSet(this, LEADING, null)) {
        return;
      }
      next = poll();
    }
    next.wake(Writer.LEADS);
  }

  /**
   * Appends all that came since the last time, at least one, to the list, turning the stack around.
   */
  private void takeStack() {
    Writer last = (Writer) NEWEST.getAndSet(this, LEADING);
    Writer first = null;
    Writer writer = last;
    while (writer != null && writer != LEADING) {
      Writer before = writer.next;
      writer.next = first;
      first = writer;
      writer = before;
    }
    if (youngest == null) {
      oldest = first;
    } else {
      youngest.next = first;
    }
    youngest = last;
  }
}
