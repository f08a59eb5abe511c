package dev.kv.core.crash;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes chosen allocations fail. {@link AllocationFaultIT} changes classes of the engine so that
 * they call {@link #next} at each allocation.
 */
public final class Allocations {
  /** One object for all: a JVM without heap memory throws errors that it has prepared. */
  private static final OutOfMemoryError ERROR = new OutOfMemoryError("injected");

  private static volatile @Nullable Fault fault;

  private Allocations() {}

  /** The allocations that fail, of all those between {@link #begin} and {@link #end}. */
  static final class Fault {
    private final String threads;
    private final int first;
    private final int last;
    private final AtomicInteger allocations = new AtomicInteger();
    private volatile String stack = "";

    /**
     * Creates a fault.
     *
     * @param threads the beginning of the names of the threads whose allocations count
     * @param first the number of the first allocation that fails, from 1 on
     * @param last the number of the last one
     */
    Fault(String threads, int first, int last) {
      this.threads = threads;
      this.first = first;
      this.last = last;
    }

    boolean wasInjected() {
      return allocations.get() >= first;
    }

    /** Returns true if it is one allocation, and that failed in a class or method. */
    boolean wasOnlyIn(String name) {
      return first == last && stack.contains("." + name);
    }

    private boolean isNext() {
      if (!Thread.currentThread().getName().startsWith(threads)) {
        return false;
      }
      int number = allocations.incrementAndGet();
      if (number == first) {
        stack =
            StackWalker.getInstance()
                .walk(frames -> frames.map(Object::toString).collect(Collectors.joining("\n")));
      }
      return number >= first && number <= last;
    }

    @Override
    public String toString() {
      return "allocations " + first + " to " + last;
    }
  }

  static void begin(Fault injected) {
    fault = injected;
  }

  static void end() {
    fault = null;
  }

  /** Called by the changed classes at each allocation. */
  public static void next() {
    Fault now = fault;
    if (now != null && now.isNext()) {
      throw ERROR;
    }
  }
}
