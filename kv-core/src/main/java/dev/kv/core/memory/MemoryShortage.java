package dev.kv.core.memory;

import dev.kv.errors.OffHeapExhaustedException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Recognizes failures that are caused by a shortage of memory. */
public final class MemoryShortage {
  /** A part of the JVM's message if direct memory is used up, in lower case. */
  private static final String DIRECT_MEMORY = "direct buffer memory";

  private MemoryShortage() {}

  /** Returns true if a failure, or one of its causes, is a shortage of off-heap memory. */
  public static boolean isCauseOf(Throwable failure) {
    return isCauseOf(failure, false);
  }

  /** Returns true if a failure, or one of its causes, is a shortage of off-heap memory or heap. */
  public static boolean ofAnyKindIsCauseOf(Throwable failure) {
    return isCauseOf(failure, true);
  }

  private static boolean isCauseOf(Throwable failure, boolean ofHeap) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof OffHeapExhaustedException
          || (each instanceof OutOfMemoryError
              && (ofHeap || namesDirectMemory(each.getMessage())))) {
        return true;
      }
    }
    return false;
  }

  private static boolean namesDirectMemory(@Nullable String message) {
    return message != null && message.toLowerCase(Locale.ROOT).contains(DIRECT_MEMORY);
  }
}
