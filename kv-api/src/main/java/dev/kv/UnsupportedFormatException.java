package dev.kv;

import org.jspecify.annotations.Nullable;

/**
 * Thrown for a directory or file that is well-formed but not ours to read: another comparator's,
 * RocksDB's, a compression whose library is absent (the message names the jar).
 */
public final class UnsupportedFormatException extends DBException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; {@code message} says what, where and what to do. */
  public UnsupportedFormatException(String message) {
    this(message, null);
  }

  /** Creates the exception with the failure that led to it. */
  public UnsupportedFormatException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
