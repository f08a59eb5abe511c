package dev.kv;

import org.jspecify.annotations.Nullable;

/**
 * Thrown for a directory or file that is well-formed and that this library cannot read: one of
 * another comparator, one of RocksDB, or one whose compression needs a library that is not on the
 * class path (the message names the jar).
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
