package dev.kv.core.read;

import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.memory.Stripes;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.version.Version;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * All data at one point in time: the memtable, the immutable memtables and the version. Entries are
 * never removed from them. So a sequence number that was read after the state was pinned, or that a
 * snapshot keeps, gives an unchanging view.
 *
 * <pre>
 * Pins are counted in stripes, so that readers share no counter. A pin is released in the stripe
 * in which it was taken, so no stripe is ever below zero.
 *  1. A reader increments a stripe, and has a pin if the state is still current after that;
 *     otherwise it decrements the stripe again.
 *  2. The state is retired after it has ceased to be current. The thread that retires it, and
 *     every thread that decrements a stripe afterwards, then checks all stripes.
 *  3. Every pin was taken before the state ceased to be current, or while a keeper holds it. So
 *     after the retirement and the last keeper, a stripe that is seen at zero has no pin and gets
 *     none; if all are seen at zero, in any order, no pin is left.
 *  4. The thread that does the last decrement sees all stripes at zero. If several threads see
 *     that, one of them frees the state.
 *  5. A keeper is added while the state is current: a snapshot that must not see the next one. Who
 *     removes the last keeper checks all stripes, as in 2.
 * </pre>
 */
public final class ReadState {
  private final MemTable memtable;
  private final MemTable[] immutables;
  private final Version version;
  private final long changes;

  private final AtomicLongArray pins = new AtomicLongArray(Stripes.arrayLength());
  private final AtomicInteger keepers = new AtomicInteger();
  private final AtomicBoolean freed = new AtomicBoolean();
  private volatile boolean retired;

  /**
   * Creates a state and retains all arguments; {@code immutables} are ordered from the newest to
   * the oldest.
   *
   * @param changes how often content has changed outside the log up to this state
   */
  ReadState(MemTable memtable, List<MemTable> immutables, Version version, long changes) {
    this.memtable = memtable;
    this.immutables = immutables.toArray(MemTable[]::new);
    this.version = version;
    this.changes = changes;
    memtable.retain();
    for (MemTable immutable : this.immutables) {
      immutable.retain();
    }
    version.retain();
  }

  /** Returns the mutable memtable. */
  public MemTable memtable() {
    return memtable;
  }

  /** Returns the number of immutable memtables. */
  public int immutableCount() {
    return immutables.length;
  }

  /** Returns an immutable memtable; 0 is the newest. */
  public MemTable immutable(int index) {
    return immutables[index];
  }

  /** Returns the version, which lists the tables. */
  public Version version() {
    return version;
  }

  /**
   * Returns how often content has changed outside the log up to this state. If two states have the
   * same number, the writes between them are in memtables, or in tables that were memtables.
   */
  long changes() {
    return changes;
  }

  /** Returns true if a memtable holds an entry of a user key of {@code range}. */
  public boolean memTablesHold(KeyBounds range) {
    boolean holds = holds(memtable, range);
    for (int i = 0; i < immutables.length && !holds; i++) {
      holds = holds(immutables[i], range);
    }
    return holds;
  }

  private boolean holds(MemTable entries, KeyBounds range) {
    try (InternalIterator cursor = entries.iterator()) {
      cursor.seekToStart(range);
      return cursor.isValid()
          && range.isBeforeEnd(
              version.comparator().userComparator(),
              cursor.keyBuffer(),
              cursor.keyOffset(),
              cursor.keyLength() - InternalKey.TRAILER);
    }
  }

  void pin(int stripe) {
    pins.getAndIncrement(Stripes.cell(stripe));
  }

  void unpin(int stripe) {
    long before = pins.getAndDecrement(Stripes.cell(stripe));
    if (before <= 0) {
      throw new AssertionError("a pin was released twice, or in the wrong stripe");
    }
    if (retired) {
      freeUnlessPinned();
    }
  }

  /** Adds a keeper: until it is removed, the state can be pinned though it is no longer current. */
  void keep() {
    keepers.getAndIncrement();
  }

  /** Removes a keeper. */
  void unkeep() {
    if (keepers.getAndDecrement() <= 0) {
      throw new AssertionError("a keeper was removed twice");
    }
    if (retired) {
      freeUnlessPinned();
    }
  }

  /** Allows the state to be freed. Must be called once, after it has ceased to be current. */
  void retire() {
    retired = true;
    freeUnlessPinned();
  }

  private void freeUnlessPinned() {
    if (keepers.get() != 0) {
      return;
    }
    for (int stripe = 0; stripe < Stripes.COUNT; stripe++) {
      if (pins.get(Stripes.cell(stripe)) != 0) {
        return;
      }
    }
    if (freed.compareAndSet(false, true)) {
      memtable.release();
      for (MemTable immutable : immutables) {
        immutable.release();
      }
      version.release();
    }
  }
}
