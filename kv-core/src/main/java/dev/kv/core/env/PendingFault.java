package dev.kv.core.env;

import org.jspecify.annotations.Nullable;

/**
 * The InternalError that the runtime owes a thread which touched a mapped page that is not there:
 * behind the end of a file cut short, or not readable.
 *
 * <p>The error does not come where the page was touched. Compiled code goes on behind the faulting
 * instruction, and the error is thrown when the thread next enters the runtime: on 17 not even at a
 * safepoint or a native call, but at some later allocation, out of code that has nothing to do with
 * it. So whoever touches a mapping looks at the outcome instead (a bulk copy that faults leaves its
 * last byte undone), and takes the error off the thread here before going on.
 */
final class PendingFault {
  // Not constant for the compiler, and kept: else it would fold the allocation away.
  private volatile int one = 1;

  @SuppressWarnings("UnusedVariable")
  private volatile byte @Nullable [][] sink;

  /** Takes a pending error off this thread; does nothing where there is none. */
  @Nullable InternalError absorb() {
    try {
      // Of all that enters the runtime, an array of arrays of unknown lengths does so in every kind
      // of code.
      sink = new byte[one][one];
      return null;
    } catch (InternalError e) {
      return e;
    }
  }
}
