package dev.kv.errors;

import org.jspecify.annotations.Nullable;

/**
 * Thrown for a directory or file that is well-formed but that this library cannot read: it has
 * another comparator, it was written by RocksDB, or its compression needs a library that is not on
 * the class path (the message has the name of the jar). A read through a {@link
 * dev.kv.ttl.TimeToLive} throws it for a value that was not written through one.
 */
public final class UnsupportedFormatException extends DBException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what is wrong, where, and what to do
   */
  public UnsupportedFormatException(String message) {
    this(message, null);
  }

  /**
   * Creates the exception with the failure that led to it.
   *
   * @param message what is wrong, where, and what to do
   * @param cause the failure, or null if there is none
   */
  public UnsupportedFormatException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
