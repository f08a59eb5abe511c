package dev.kv.core.read;

import dev.kv.core.memtable.MemTable;
import java.lang.ref.WeakReference;

/**
 * Marks a point in time: everything that changed after it is in the memtable or a later one, or is
 * a later change outside the log. Pins nothing.
 */
public final class ReadMark {
  /** Only compared. It may have been freed, and its memory must not stay for a mark. */
  private final WeakReference<MemTable> memtable;

  private final long changes;

  ReadMark(ReadState state) {
    memtable = new WeakReference<>(state.memTable(0));
    changes = state.changes();
  }

  /** Returns true if content has changed outside the log between the mark and {@code state}. */
  boolean isChangedOutsideLog(ReadState state) {
    return state.changes() != changes;
  }

  /**
   * Returns the number of memtables of {@code state} in which later writes are, from the mutable
   * one on; 0 if one of them has been flushed.
   */
  int memTablesSince(ReadState state) {
    for (int i = 0; i < state.memTableCount(); i++) {
      if (memtable.refersTo(state.memTable(i))) {
        return i + 1;
      }
    }
    return 0;
  }
}
