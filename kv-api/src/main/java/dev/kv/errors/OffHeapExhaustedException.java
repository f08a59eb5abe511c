package dev.kv.errors;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the off-heap budget of the database ({@link dev.kv.Options.Memory#offHeapLimit()}, or
 * that of its {@link dev.kv.SharedResources}) or the direct memory of the JVM ({@code
 * -XX:MaxDirectMemorySize}) has no room for what a call needs. The call may be tried again after
 * other work has released memory, except on a {@link dev.kv.load.BulkLoader} or a {@link
 * dev.kv.table.TableWriter}, which has failed then.
 *
 * <p>A write that throws it was not logged and has no effect. A read throws it if it has no memory
 * for a block or the index of a table, and an open if it has none for what it recovers. {@link
 * dev.kv.admin.DBAdmin#flush} and {@link dev.kv.admin.DBAdmin#compactRange} throw it if a flush or
 * compaction has waited for memory for more than a second; that work continues in the background.
 */
public final class OffHeapExhaustedException extends DBException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what is wrong, where, and what to do
   */
  public OffHeapExhaustedException(String message) {
    this(message, null);
  }

  /**
   * Creates the exception with the failure that led to it.
   *
   * @param message what is wrong, where, and what to do
   * @param cause the failure, or null if there is none
   */
  public OffHeapExhaustedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
