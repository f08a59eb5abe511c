package dev.kv.core.read;

import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.Stripes;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Read contexts to use again, one kept for each stripe of threads. Thread-safe. */
final class ReadContexts implements AutoCloseable {
  private final OffHeapBudget budget;
  private final AtomicReferenceArray<@Nullable ReadContext> cells =
      new AtomicReferenceArray<>(Stripes.arrayLength());
  private volatile boolean closed;

  ReadContexts(OffHeapBudget budget) {
    this.budget = budget;
  }

  /** Returns a context that the caller releases. */
  ReadContext acquire() {
    int stripe = Stripes.current();
    ReadContext context = cells.getAndSet(Stripes.cell(stripe), null);
    return context == null ? new ReadContext(stripe, budget) : context;
  }

  /** Takes a context back. */
  void release(ReadContext context) {
    if (!context.isReusable()) {
      context.close();
      return;
    }
    closeIfAny(cells.getAndSet(Stripes.cell(context.stripe()), context));
    if (closed) {
      closeIfAny(cells.getAndSet(Stripes.cell(context.stripe()), null));
    }
  }

  /** Closes the contexts that are kept; those in use are closed when they come back. */
  @Override
  public void close() {
    closed = true;
    for (int stripe = 0; stripe < Stripes.COUNT; stripe++) {
      closeIfAny(cells.getAndSet(Stripes.cell(stripe), null));
    }
  }

  private static void closeIfAny(@Nullable ReadContext context) {
    if (context != null) {
      context.close();
    }
  }
}
