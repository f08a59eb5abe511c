package dev.kv.core.write;

import dev.kv.core.memory.FieldHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The queue of writers: one thread is the leader, the others wait in order of arrival.
 *
 * <pre>
 * newest: null        there is no leader
 *         LEADING     there is a leader, and no writer has arrived since it looked
 *         a writer    there is a leader; this writer arrived last, its next is the one before,
 *                     down to LEADING
 * oldest..youngest    the writers that arrived before those: the leader's own list, in order of
 *                     arrival
 * </pre>
 *
 * <p>A leader hands leadership to the writer that has waited longest, and leadership ends only if
 * no writer waits; so a new writer cannot overtake a waiting one. Everything that a leader did
 * happens-before the actions of its successor.
 */
final class CommitQueue {
  private static final PendingWrite LEADING = new PendingWrite.Turn();
  private static final VarHandle NEWEST =
      FieldHandles.of(MethodHandles.lookup(), "newest", PendingWrite.class);

  private volatile @Nullable PendingWrite newest;

  // Owned by the leader.
  private @Nullable PendingWrite oldest;
  private @Nullable PendingWrite youngest;

  /**
   * Makes the caller the leader and returns true if there is no leader; otherwise returns false.
   */
  boolean tryLead() {
    return newest == null && NEWEST.compareAndSet(this, null, LEADING);
  }

  /**
   * Makes the caller the leader and returns true, or enqueues {@code write}, which the caller must
   * then await, and returns false.
   */
  boolean leadOrEnqueue(PendingWrite write) {
    while (true) {
      PendingWrite top = newest;
      if (top == null) {
        if (NEWEST.compareAndSet(this, null, LEADING)) {
          return true;
        }
      } else {
        write.next = top;
        if (NEWEST.compareAndSet(this, top, write)) {
          return false;
        }
      }
    }
  }

  /** Leader only: returns true if a writer waits. */
  boolean isContended() {
    return oldest != null || newest != LEADING;
  }

  /** Leader only: returns the writer that has waited longest, without removing it. */
  @Nullable PendingWrite peek() {
    if (oldest == null && newest != LEADING) {
      takeStack();
    }
    return oldest;
  }

  /** Leader only: returns the number of waiting writers. */
  int waiting() {
    if (newest != LEADING) {
      takeStack();
    }
    int count = 0;
    for (PendingWrite write = oldest; write != null; write = write.next) {
      count++;
    }
    return count;
  }

  /** Leader only: removes and returns the writer that has waited longest, with its next cleared. */
  @Nullable PendingWrite poll() {
    PendingWrite first = peek();
    if (first != null) {
      oldest = first.next;
      if (oldest == null) {
        youngest = null;
      }
      first.next = null;
    }
    return first;
  }

  /** Leader only: hands leadership to the next writer, or ends it if no writer waits. */
  void handOver() {
    PendingWrite next = poll();
    while (next == null) {
      if (NEWEST.compareAndSet(this, LEADING, null)) {
        return;
      }
      next = poll();
    }
    next.complete(WriteOutcome.LEADS, null);
  }

  /**
   * Appends all writers that arrived since the last call, at least one, to the list, by reversing
   * the stack.
   */
  private void takeStack() {
    PendingWrite last = (PendingWrite) NEWEST.getAndSet(this, LEADING);
    PendingWrite first = null;
    PendingWrite write = last;
    while (write != null && write != LEADING) {
      PendingWrite before = write.next;
      write.next = first;
      first = write;
      write = before;
    }
    if (youngest == null) {
      oldest = first;
    } else {
      youngest.next = first;
    }
    youngest = last;
  }
}
