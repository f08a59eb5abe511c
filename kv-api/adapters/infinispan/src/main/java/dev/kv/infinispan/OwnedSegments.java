package dev.kv.infinispan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.infinispan.commons.util.IntSet;
import org.infinispan.commons.util.IntSets;
import org.jspecify.annotations.Nullable;

/**
 * The segments that this node owns, as Infinispan has announced them since the start of the store.
 * Thread-safe.
 *
 * <p>The first announcement tells what the files are worth. If it has segments, the node is the
 * first one of its cluster, or the cluster was shut down in order and is complete again: the files
 * have the truth about them. If it is empty, the node has joined others. What its files have of a
 * segment that it gets later is from the time before, when others were not asked, and would bring
 * back entries that were removed since. With state transfer, Infinispan sends the whole segment, so
 * it is emptied first.
 */
final class OwnedSegments {
  @GuardedBy("this")
  private @Nullable IntSet owned;

  /** Announces segments, and returns those to be emptied. */
  synchronized IntSet add(IntSet segments) {
    IntSet before = owned;
    if (before == null) {
      owned = IntSets.mutableCopyFrom(segments);
      return IntSets.immutableEmptySet();
    }
    IntSet added = IntSets.mutableCopyFrom(segments);
    added.removeAll(before);
    before.addAll(segments);
    return added;
  }

  /** Announces segments that are no longer owned. */
  synchronized void remove(IntSet segments) {
    if (owned != null) {
      owned.removeAll(segments);
    }
  }

  /** Returns the number of owned segments, which is that of all before the first announcement. */
  synchronized int count(int all) {
    return owned == null ? all : owned.size();
  }

  /** Forgets all announcements. */
  synchronized void reset() {
    owned = null;
  }
}
