package dev.kv.core.table.format;

/** Thrown if a key is not after the one that was added before it. */
public final class KeyOrderException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  KeyOrderException(String message) {
    super(message);
  }
}
