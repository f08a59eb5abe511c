package dev.kv.core.batch;

/**
 * Thrown for bytes that are not a batch. It has no file: a caller that read the batch from a file
 * turns it into a {@link dev.kv.errors.CorruptionException}.
 */
public final class MalformedBatchException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final int offset;

  MalformedBatchException(String message, int offset) {
    super(message);
    this.offset = offset;
  }

  /** Returns the offset in the buffer that was decoded. */
  public int offset() {
    return offset;
  }
}
