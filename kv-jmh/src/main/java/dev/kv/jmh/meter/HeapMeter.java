package dev.kv.jmh.meter;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** The bytes that threads allocate on the heap, as the JVM counts them. */
public final class HeapMeter {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private HeapMeter() {}

  /** Returns the bytes that the calling thread has allocated since its start. */
  public static long allocatedByThisThread() {
    return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
  }
}
