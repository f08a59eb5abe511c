package dev.kv.core.codec;

/**
 * Thrown for stored bytes that do not decompress. It has no file and offset: the caller turns it
 * into a {@link dev.kv.errors.CorruptionException}, which has them.
 */
public final class MalformedBlockException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; {@code message} says what is wrong. */
  public MalformedBlockException(String message) {
    super(message);
  }
}
