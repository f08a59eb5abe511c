package dev.kv.core.write;

import dev.kv.core.memory.Stripes;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Writers to use again, one kept for each stripe of threads; what does not fit is left to the
 * collector.
 */
final class WriterPool {
  private final AtomicReferenceArray<@Nullable Writer> cells =
      new AtomicReferenceArray<>(Stripes.arrayLength());

  Writer acquire() {
    Writer writer = cells.getAndSet(Stripes.cell(Stripes.current()), null);
    return writer == null ? new Writer() : writer;
  }

  void release(Writer writer) {
    writer.clear();
    cells.setRelease(Stripes.cell(Stripes.current()), writer);
  }
}
