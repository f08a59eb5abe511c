package dev.kv.core.table.format;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.core.memory.OffHeapBudget;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the buffers with which jobs build tables for the next job. A job needs some 300 KiB, and
 * more for large values. If each one allocated them, they would stay resident after it: the JVM
 * frees direct memory late, and the C library keeps a part of it for each thread. Thread-safe.
 *
 * <p>The memory that is kept counts against the budget. It is freed if the budget is short.
 */
public final class BuildBufferPool implements OffHeapBudget.Reclaimer, AutoCloseable {
  /** Buffers that have grown beyond this are not kept. */
  private static final long MOST_BYTES = 1 << 20;

  private final OffHeapBudget budget;
  private final int count;

  @GuardedBy("this")
  private final List<BuildBuffers> kept = new ArrayList<>();

  @GuardedBy("this")
  private boolean closed;

  /**
   * Creates an empty pool.
   *
   * @param count the most buffers that it keeps: the number of jobs that run at the same time
   */
  public BuildBufferPool(OffHeapBudget budget, int count) {
    this.budget = budget;
    this.count = count;
    budget.onShortage(this);
  }

  /** Returns buffers for tables of a format. The caller releases or closes them. */
  public BuildBuffers acquire(TableFormat format) {
    BuildBuffers found = take(format);
    return found == null ? new BuildBuffers(format, budget) : found;
  }

  private synchronized @Nullable BuildBuffers take(TableFormat format) {
    for (Iterator<BuildBuffers> each = kept.iterator(); each.hasNext(); ) {
      BuildBuffers buffers = each.next();
      if (buffers.fit(format)) {
        each.remove();
        return buffers;
      }
    }
    return null;
  }

  /** Takes back buffers whose last table is finished, and keeps them or closes them. */
  public void release(BuildBuffers buffers) {
    if (!keep(buffers)) {
      buffers.close();
    }
  }

  private synchronized boolean keep(BuildBuffers buffers) {
    boolean keeps = !closed && kept.size() < count && buffers.bytes() <= MOST_BYTES;
    if (keeps) {
      kept.add(buffers);
    }
    return keeps;
  }

  /** Frees what is kept. */
  @Override
  public void trim() {
    List<BuildBuffers> all;
    synchronized (this) {
      all = List.copyOf(kept);
      kept.clear();
    }
    for (BuildBuffers buffers : all) {
      buffers.close();
    }
  }

  /** Frees what is kept, and keeps nothing from now on. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    budget.forget(this);
    trim();
  }
}
