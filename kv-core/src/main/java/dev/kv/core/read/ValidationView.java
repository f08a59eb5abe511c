package dev.kv.core.read;

import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.memory.ObjectPool;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.table.TableCache;
import dev.kv.core.table.cache.ReadFlags;
import org.jspecify.annotations.Nullable;

/**
 * The view in which a conditional write checks its keys. It has two parts, so that no thread reads
 * a table while it leads a write group.
 *
 * <pre>
 * the base    all data when the view was opened: memtables and tables, pinned. The owner searches
 *             it before it enters the queue.
 * the recent  the mutable memtable of the base, and all memtables since then. Every later write
 *             is in one of them. The leader searches them.
 * </pre>
 *
 * <p>If a memtable of the recent part has been flushed, or content has changed outside the log, the
 * leader cannot see what was written since, and the owner must open a new view.
 *
 * <p>Used by one thread at a time: by its owner, or by a leader while the owner waits.
 */
public final class ValidationView implements AutoCloseable {
  private final ReadState base;
  private final RecentMemTables recent;
  private final PointReader points;
  private final TableCache tables;
  private final ObjectPool<ReadContext> contexts;
  private final ReadContext context;
  private final long sinceSequence;

  /**
   * Opens a view. Takes ownership of the pin of {@code base}, taken in the stripe of {@code
   * context}, and of {@code context}.
   *
   * @param sinceSequence the last sequence number before {@code base} was pinned
   */
  ValidationView(
      ReadStates states,
      ReadState base,
      PointReader points,
      TableCache tables,
      ObjectPool<ReadContext> contexts,
      ReadContext context,
      long sinceSequence) {
    this.base = base;
    this.recent = new RecentMemTables(states, new ReadMark(base), context);
    this.points = points;
    this.tables = tables;
    this.contexts = contexts;
    this.context = context;
    this.sinceSequence = sinceSequence;
  }

  /**
   * Returns a sequence number whose state the base contains completely. If it is still the last
   * one, the base is the newest state.
   */
  public long sinceSequence() {
    return sinceSequence;
  }

  /** Returns true if content has changed outside the log between {@code mark} and the base. */
  public boolean isChangedOutsideLogSince(ReadMark mark) {
    return mark.isChangedOutsideLog(base);
  }

  /** Returns the recent part, valid until the view is closed. */
  public RecentMemTables recent() {
    return recent;
  }

  /**
   * Looks up a key in the base.
   *
   * @return true if it exists; {@link #value} is set then, until {@link #releaseValue}
   */
  public boolean find(byte[] key) {
    context.key().set(key, context.sequence());
    return points.get(base, context, ReadFlags.DEFAULT) == LookupResult.FOUND;
  }

  /** Returns the value that {@link #find} has found. */
  public ValueRef value() {
    return context.value();
  }

  /** Releases the value that {@link #find} has found. */
  public void releaseValue() {
    context.value().release();
  }

  /** Returns true if the base has an entry of a key with a higher sequence number. */
  public boolean hasNewer(byte[] key, long sequence) {
    context.key().set(key, context.sequence());
    long tag = points.newestTag(base, context);
    return tag != MemTable.NO_ENTRY && InternalKey.sequence(tag) > sequence;
  }

  /**
   * Returns the first key of a range of which the base has an entry with a higher sequence number,
   * or null. Reads all entries of the range.
   */
  public byte @Nullable [] firstNewer(ReadRange range, long sequence) {
    try (InternalIterator entries = PinnedView.allEntries(base, tables, true, false)) {
      return context.firstNewer(entries, range, sequence, base.version().comparator());
    }
  }

  @Override
  public void close() {
    recent.unpin();
    try {
      context.value().release();
    } finally {
      base.unpin(context.stripe());
      context.releaseTo(contexts);
    }
  }
}
