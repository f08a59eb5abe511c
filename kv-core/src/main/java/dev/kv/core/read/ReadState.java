package dev.kv.core.read;

import dev.kv.core.memory.Stripes;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.version.Version;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * All data of one moment: the memtable, the immutable memtables and the version. What they hold
 * never leaves them; so a sequence number read after the state was pinned, or kept by a snapshot,
 * is a frozen view.
 *
 * <pre>
 * Pins are counted in stripes, so that readers share no counter. A pin goes back to the stripe it
 * came from, so no stripe is ever below zero.
 *  1. A reader adds to a stripe, and has a pin if the state is still current after that; otherwise
 *     it takes the addition back.
 *  2. The state is retired after it ceased to be current; the thread that takes a pin back, and the
 *     one that retires, looks then at all stripes.
 *  3. Every pin was added before the state ceased to be current. So once it is retired, a stripe
 *     that is seen at zero has no pin and gets none; when all are seen at zero, in whatever order,
 *     no pin is left.
 *  4. The one who takes back the last addition sees all stripes at zero. Of several who see that,
 *     one frees.
 * </pre>
 */
public final class ReadState {
  private final MemTable memtable;
  private final MemTable[] immutables;
  private final Version version;

  private final AtomicLongArray pins = new AtomicLongArray(Stripes.arrayLength());
  private final AtomicBoolean freed = new AtomicBoolean();
  private volatile boolean retired;

  /** Retains everything it is given; {@code immutables} from the newest to the oldest. */
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

  /** Returns the memtable that takes writes. */
  public MemTable memtable() {
    return memtable;
  }

  /** Returns how many immutable memtables there are. */
  public int immutableCount() {
    return immutables.length;
  }

  /** Returns an immutable memtable; 0 is the newest. */
  public MemTable immutable(int index) {
    return immutables[index];
  }

  /** Returns the tables. */
  public Version version() {
    return version;
  }

  void pin(int stripe) {
    pins.getAndIncrement(Stripes.cell(stripe));
  }

  void unpin(int stripe) {
    long before = pins.getAndDecrement(Stripes.cell(stripe));
    if (before <= 0) {
      throw new AssertionError("a pin was given back twice, or to the wrong stripe");
    }
    if (retired) {
      freeUnlessPinned();
    }
  }

  /** Lets the state be freed; to be called once it is not current any more. */
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
