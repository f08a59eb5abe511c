package dev.kv.core.env;

import org.jspecify.annotations.Nullable;

/**
 * The InternalError that is pending for a thread after it touched a mapped page that is missing:
 * one after the end of a truncated file, or one that cannot be read.
 *
 * <p>The error is not thrown at the faulting instruction. Compiled code goes on after it, and the
 * error is thrown when the thread next enters the runtime: on Java 17 not even at a safepoint or a
 * native call, but at some later allocation, in unrelated code. So code that touches a mapping
 * checks the result instead (a bulk copy that faults does not write its last byte), and absorbs the
 * error here before it goes on.
 */
final class PendingFault {
  // Not constant, and not provably unused: otherwise the compiler would remove the allocation.
  private volatile int one = 1;

  @SuppressWarnings("UnusedVariable")
  private volatile byte @Nullable [][] sink;

  /** Absorbs this thread's pending error; returns null if there is none. */
  @Nullable InternalError absorb() {
    try {
      // The allocation of an array of arrays of unknown lengths enters the runtime, both in
      // interpreted and in compiled code.
      sink = new byte[one][one];
      return null;
    } catch (InternalError e) {
      return e;
    }
  }
}
