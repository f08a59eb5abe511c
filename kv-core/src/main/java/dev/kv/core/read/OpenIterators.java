package dev.kv.core.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.DBClosedException;
import dev.kv.core.memory.Stripes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The iterators that are not closed, so that the database's close can revoke them. Thread-safe. */
final class OpenIterators {
  private final Stripe[] stripes = new Stripe[Stripes.COUNT];

  OpenIterators() {
    for (int i = 0; i < stripes.length; i++) {
      stripes[i] = new Stripe();
    }
  }

  /** Adds an iterator to its stripe; {@link DBClosedException} after the close. */
  void add(UserIterator iterator) {
    stripes[iterator.stripe()].add(iterator);
  }

  /** Takes an iterator out, if it is in. */
  void remove(UserIterator iterator) {
    stripes[iterator.stripe()].remove(iterator);
  }

  /**
   * Revokes all iterators, and refuses new ones from now on. A second pass finds the moves that
   * ended beside the first one, see {@link dev.kv.core.iterator.CursorGuard}.
   */
  void close() {
    List<UserIterator> open = new ArrayList<>();
    for (Stripe stripe : stripes) {
      open.addAll(stripe.close());
    }
    open.forEach(UserIterator::revoke);
    open.forEach(UserIterator::revoke);
  }

  /** The iterators of one stripe of threads, a list linked through them. */
  private static final class Stripe {
    @GuardedBy("this")
    private @Nullable UserIterator first;

    @GuardedBy("this")
    private boolean closed;

    synchronized void add(UserIterator iterator) {
      if (closed) {
        throw new DBClosedException("the database is closed");
      }
      iterator.nextOpen = first;
      if (first != null) {
        first.previousOpen = iterator;
      }
      first = iterator;
    }

    synchronized void remove(UserIterator iterator) {
      UserIterator before = iterator.previousOpen;
      UserIterator after = iterator.nextOpen;
      if (before == null && first != iterator) {
        return;
      }
      if (before == null) {
        first = after;
      } else {
        before.nextOpen = after;
      }
      if (after != null) {
        after.previousOpen = before;
      }
      iterator.previousOpen = null;
      iterator.nextOpen = null;
    }

    synchronized List<UserIterator> close() {
      closed = true;
      List<UserIterator> open = new ArrayList<>();
      for (UserIterator at = first; at != null; at = at.nextOpen) {
        open.add(at);
      }
      return open;
    }
  }
}
