package dev.kv.core.state;

import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.shared.WriteBuffers;
import dev.kv.core.write.ErrorHandler;
import dev.kv.env.Env;
import dev.kv.errors.OffHeapExhaustedException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The wait of a writer for off-heap memory: for that of memtables, of any database with the same
 * budget, which are being flushed or can be. Thread-safe.
 */
final class MemoryWait {
  /** How often the allocation is tried again. */
  private static final long POLL_MICROS = 1_000;

  /** How long the wait lasts while no flush releases memory. */
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final OffHeapBudget budget;
  private final WriteBuffers writeBuffers;
  private final WriteBuffers.Buffer own;
  private final ErrorHandler errors;
  private final Env env;

  /**
   * Creates the wait of the writers of one database.
   *
   * @param own the memtable that they write to, which cannot be flushed while one of them waits
   * @param errors ends the wait once it refuses writes
   * @param env sleeps
   */
  MemoryWait(
      OffHeapBudget budget,
      WriteBuffers writeBuffers,
      WriteBuffers.Buffer own,
      ErrorHandler errors,
      Env env) {
    this.budget = budget;
    this.writeBuffers = writeBuffers;
    this.own = own;
    this.errors = errors;
    this.env = env;
  }

  /**
   * Returns what an allocation returns. If there is no memory, waits as long as flushes make
   * progress.
   *
   * @param bytes the least that the budget must be able to have for it
   * @param allocation throws {@link OffHeapExhaustedException} if there is no memory
   */
  <T> T allocate(MemoryKind kind, long bytes, Supplier<T> allocation) {
    long released = writeBuffers.releases();
    long since = System.nanoTime();
    while (true) {
      try {
        return allocation.get();
      } catch (OffHeapExhaustedException e) {
        errors.check();
        if (!budget.canFit(kind, bytes)) {
          throw e;
        }
        long now = System.nanoTime();
        long longest =
            errors.isShortOfMemory() ? ErrorHandler.MAX_SHORTAGE_WAIT_NANOS : LONGEST_NANOS;
        boolean comesSoon = writeBuffers.relieve(own);
        if (released != writeBuffers.releases()) {
          released = writeBuffers.releases(); // perhaps by the last flush: then none comes
          since = now;
        } else if (!comesSoon || now - since > longest) {
          throw e;
        }
      }
      env.sleepMicros(POLL_MICROS);
    }
  }
}
