package dev.kv.core.state;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Wakes the background work of one open database. The work adds itself when it is created; what was
 * wanted before is found by its first look. Thread-safe; any thread may call it, with any lock
 * held. A wake for which there is no memory is lost: what is wanted is noted elsewhere, and those
 * who wait for it wake the work again.
 */
public final class Wakeups {
  private final List<Runnable> flushes = new CopyOnWriteArrayList<>();
  private final List<Runnable> compactions = new CopyOnWriteArrayList<>();
  private final List<Runnable> maintenance = new CopyOnWriteArrayList<>();
  private final AtomicBoolean versionFreed = new AtomicBoolean();

  /**
   * Adds work that {@link #flushWanted} wakes. As all of these it must be quick, and may throw an
   * OutOfMemoryError alone.
   */
  public void onFlush(Runnable work) {
    flushes.add(work);
  }

  /** Adds work that {@link #compactionWanted} wakes. */
  public void onCompaction(Runnable work) {
    compactions.add(work);
  }

  /** Adds work that {@link #maintenanceWanted} wakes. */
  public void onMaintenance(Runnable work) {
    maintenance.add(work);
  }

  /** Wakes the flush and the maintenance work: a memtable is immutable, or is to become so. */
  public void flushWanted() {
    wake(flushes);
    wake(maintenance);
  }

  /**
   * Wakes the maintenance work: the log needs room reserved, or the next log should be prepared.
   */
  public void maintenanceWanted() {
    wake(maintenance);
  }

  /** Makes all compaction workers look for work. */
  public void compactionWanted() {
    wake(compactions);
  }

  /** Wakes all work. */
  public void workWanted() {
    flushWanted();
    compactionWanted();
  }

  /** Notes that files may have become obsolete. */
  public void versionFreed() {
    versionFreed.set(true);
    wake(maintenance);
  }

  /** Returns true if files may have become obsolete since the last call. */
  public boolean takeVersionFreed() {
    return versionFreed.getAndSet(false);
  }

  private static void wake(List<Runnable> work) {
    for (int i = 0; i < work.size(); i++) {
      try {
        work.get(i).run();
      } catch (OutOfMemoryError e) {
        // See above.
      }
    }
  }
}
