package dev.kv.core.read;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.ObjectPool;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.memtable.MemTable;
import org.jspecify.annotations.Nullable;

/**
 * The view in which a conditional write checks its keys. It has two parts, so that no thread reads
 * a table while it leads a write group.
 *
 * <pre>
 * the base    all data when the view was opened: memtables and tables, pinned. The owner searches
 *             it before it enters the queue.
 * the recent  the mutable memtable of the base, and all memtables since then. Every later write
 *             is in one of them. The leader searches them, between pinRecent and unpinRecent.
 * </pre>
 *
 * <p>If a memtable of the recent part has been flushed, or content has changed outside the log, the
 * leader cannot see what was written since, and the owner must open a new view.
 *
 * <p>Used by one thread at a time: by its owner, or by a leader while the owner waits.
 */
public final class CommitView implements AutoCloseable {
  private final ReadStates states;
  private final ReadState base;
  private final PointReader points;
  private final ObjectPool<ReadContext> contexts;
  private final ReadContext context;
  private final long sinceSequence;
  private final long readSequence;
  private @Nullable ReadState recent;
  private int recentCount;

  /**
   * Opens a view. Takes ownership of the pin of {@code base}, taken in the stripe of {@code
   * context}, and of {@code context}.
   *
   * @param sinceSequence the last sequence number before {@code base} was pinned
   * @param readSequence the last sequence number after that
   */
  CommitView(
      ReadStates states,
      ReadState base,
      PointReader points,
      ObjectPool<ReadContext> contexts,
      ReadContext context,
      long sinceSequence,
      long readSequence) {
    this.states = states;
    this.base = base;
    this.points = points;
    this.contexts = contexts;
    this.context = context;
    this.sinceSequence = sinceSequence;
    this.readSequence = readSequence;
  }

  /**
   * Returns a sequence number whose state the base contains completely. If it is still the last
   * one, the base is the newest state.
   */
  public long sinceSequence() {
    return sinceSequence;
  }

  /** Returns the order of user keys. */
  public UserKeyComparator order() {
    return base.version().comparator().userComparator();
  }

  /**
   * Looks up a key in the base.
   *
   * @return true if it exists; {@link #value} is set then, until {@link #releaseValue}
   */
  public boolean find(byte[] key) {
    context.key().set(key, readSequence);
    return points.get(base, context, true, true) == LookupResult.FOUND;
  }

  /**
   * Pins the recent part. If it returns true, the caller must call {@link #unpinRecent}.
   *
   * @return false if a memtable of it has been flushed, or content has changed outside the log
   */
  public boolean pinRecent() {
    ReadState now = states.acquire(context.stripe());
    int count = 1;
    MemTable oldest = base.memtable();
    boolean found = now.memtable() == oldest;
    boolean changed = now.changes() != base.changes();
    for (int i = 0; !found && i < now.immutableCount(); i++) {
      found = now.immutable(i) == oldest;
      count++;
    }
    if (changed || !found) {
      states.release(now, context.stripe());
      return false;
    }
    recent = now;
    recentCount = count;
    return true;
  }

  /** Releases what {@link #pinRecent} has pinned. */
  public void unpinRecent() {
    ReadState pinned = recent;
    if (pinned != null) {
      recent = null;
      states.release(pinned, context.stripe());
    }
  }

  /**
   * Looks up the newest entry of a key in the recent part, which the caller has pinned.
   *
   * @return a {@link LookupResult}; if it is found, {@link #value} is set until {@link
   *     #unpinRecent}
   */
  public int findRecent(byte[] key) {
    context.key().set(key, InternalKey.MAX_SEQUENCE);
    ReadState pinned = recent;
    int result = LookupResult.NOT_FOUND;
    for (int i = 0; pinned != null && result == LookupResult.NOT_FOUND && i < recentCount; i++) {
      MemTable memtable = i == 0 ? pinned.memtable() : pinned.immutable(i - 1);
      result = memtable.get(context.key(), context.value());
    }
    return result;
  }

  /** Returns the value that was found last. */
  public ValueRef value() {
    return context.value();
  }

  /** Releases the value that {@link #find} has found. */
  public void releaseValue() {
    context.value().release();
  }

  @Override
  public void close() {
    unpinRecent();
    try {
      context.value().release();
    } finally {
      states.release(base, context.stripe());
      context.releaseTo(contexts);
    }
  }
}
