package dev.kv;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a write when the database's off-heap budget ({@link Options#offHeapLimit()}) or the
 * JVM's direct memory (-XX:MaxDirectMemorySize) has no room left for it. The write was not logged
 * and has no effect.
 */
public final class OffHeapExhaustedException extends DBException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; {@code message} says what, where and what to do. */
  public OffHeapExhaustedException(String message) {
    this(message, null);
  }

  /** Creates the exception with the failure that led to it. */
  public OffHeapExhaustedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
