package dev.kv.jmh.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** The bytes that threads allocate on the heap, as the virtual machine counts them. */
final class HeapMeter {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private HeapMeter() {}

  static long allocatedByThisThread() {
    return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
  }
}
