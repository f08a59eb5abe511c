package dev.kv.core.batch;

/**
 * Thrown for bytes that are not a batch. It has no file: a caller that read the batch from a file
 * turns it into a {@link dev.kv.errors.CorruptionException}.
 */
public final class MalformedBatchException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  MalformedBatchException(String message) {
    super(message);
  }
}
