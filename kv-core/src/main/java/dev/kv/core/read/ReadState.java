package dev.kv.core.read;

import dev.kv.core.memory.Stripes;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.version.Version;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
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
 *  3. Every pin was taken before the state ceased to be current. So after the retirement, a stripe
 *     that is seen at zero has no pin and gets none; if all are seen at zero, in any order, no pin
 *     is left.
 *  4. The thread that does the last decrement sees all stripes at zero. If several threads see
 *     that, one of them frees the state.
 * </pre>
 */
public final class ReadState {
  private final MemTable memtable;
  private final MemTable[] immutables;
  private final Version version;

  private final AtomicLongArray pins = new AtomicLongArray(Stripes.arrayLength());
  private final AtomicBoolean freed = new AtomicBoolean();
  private volatile boolean retired;

  /**
   * Creates a state and retains all arguments; {@code immutables} are ordered from the newest to
   * the oldest.
   */
  ReadState(MemTable memtable, List<MemTable> immutables, Version version) {
    this.memtable = memtable;
    this.immutables = immutables.toArray(MemTable[]::new);
    this.version = version;
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

  /** Allows the state to be freed. Must be called once, after it has ceased to be current. */
  void retire() {
    retired = true;
    freeUnlessPinned();
  }

  private void freeUnlessPinned() {
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
