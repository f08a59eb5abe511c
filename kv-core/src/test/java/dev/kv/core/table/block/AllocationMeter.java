package dev.kv.core.table.block;

import java.lang.management.ManagementFactory;

/** Measures what the present thread allocates on the heap. */
public final class AllocationMeter {
  private static final com.sun.management.ThreadMXBean THREADS =
      (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

  private AllocationMeter() {}

  /**
   * Returns the fewest bytes that {@code work} allocated in one of several runs, after a warm-up.
   */
  public static long bytes(Runnable work) {
    long fewest = Long.MAX_VALUE;
    for (int run = 0; run < 20; run++) {
      long before = allocated();
      work.run();
      fewest = Math.min(fewest, allocated() - before);
    }
    return fewest;
  }

  private static long allocated() {
    return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
  }
}
