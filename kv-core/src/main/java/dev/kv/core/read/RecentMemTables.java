package dev.kv.core.read;

import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.memtable.MemTable;
import org.jspecify.annotations.Nullable;

/**
 * The memtables since a {@link ReadMark}: the one that was mutable then, and all later ones. Every
 * later write is in one of them, so that the leader of a write group can check a condition without
 * reading tables. If one of them has been flushed, or if content has changed outside the log since,
 * {@link #pin} returns false.
 *
 * <p>Used by one thread at a time: by its owner, or by a leader while the owner waits.
 */
public final class RecentMemTables {
  private final ReadStates states;
  private final ReadMark mark;
  private final ReadContext context;
  private @Nullable ReadState pinned;
  private int count;

  /** Creates the object; borrows {@code context}. */
  RecentMemTables(ReadStates states, ReadMark mark, ReadContext context) {
    this.states = states;
    this.mark = mark;
    this.context = context;
  }

  /**
   * Returns true if content has changed outside the log since the mark. Called by a leader, who
   * prevents such changes meanwhile, except what a compaction filter drops: a compaction may
   * install that until the leader's write is visible.
   */
  public boolean isChangedOutsideLog() {
    ReadState now = states.current();
    return now == null || mark.isChangedOutsideLog(now);
  }

  /**
   * Pins the memtables. If it returns true, the caller must call {@link #unpin}.
   *
   * @return false if the memtables do not show all changes since the mark
   */
  public boolean pin() {
    ReadState now = states.acquire(context.stripe());
    int since = mark.isChangedOutsideLog(now) ? 0 : mark.memTablesSince(now);
    if (since == 0) {
      now.unpin(context.stripe());
      return false;
    }
    pinned = now;
    count = since;
    return true;
  }

  /** Releases the pins of {@link #pin}, if there are any. */
  public void unpin() {
    ReadState state = pinned;
    if (state != null) {
      pinned = null;
      count = 0;
      state.unpin(context.stripe());
    }
  }

  private ReadState requirePinned() {
    ReadState state = pinned;
    if (state == null) {
      throw new AssertionError("the memtables are not pinned");
    }
    return state;
  }

  /**
   * Returns true if the memtables, which the caller has pinned, have an entry of a key with a
   * higher sequence number.
   */
  public boolean hasNewer(byte[] key, long sequence) {
    ReadState state = requirePinned();
    context.key().set(key, InternalKey.MAX_SEQUENCE);
    long tag = state.newestTag(context.key(), count);
    return tag != MemTable.NO_ENTRY && InternalKey.sequence(tag) > sequence;
  }

  /**
   * Returns the first key of a range of which the memtables, which the caller has pinned, have an
   * entry with a higher sequence number, or null. Looks at all their entries in the range.
   */
  public byte @Nullable [] firstNewer(ReadRange range, long sequence) {
    ReadState state = requirePinned();
    byte[] first = null;
    for (int i = 0; first == null && i < count; i++) {
      try (InternalIterator entries = state.memTable(i).iterator()) {
        first = context.firstNewer(entries, range, sequence, state.version().comparator());
      }
    }
    return first;
  }
}
