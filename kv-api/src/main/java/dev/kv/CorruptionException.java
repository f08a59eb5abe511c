package dev.kv;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when bytes on disk are not what the format says they must be: it names the file and
 * offset.
 */
public final class CorruptionException extends DBException {
  private static final long serialVersionUID = 1L;

  /** The value of {@link #offset()} where no single offset is at fault. */
  public static final long NO_OFFSET = -1;

  private final String file;
  private final long offset;

  /**
   * Creates the exception.
   *
   * @param message what is wrong, without file and offset: they are appended
   * @param file the damaged file's name or path
   * @param offset the byte offset in that file, or {@link #NO_OFFSET}
   */
  public CorruptionException(String message, String file, long offset) {
    this(message, file, offset, null);
  }

  /** Creates the exception with the failure that showed the damage. */
  public CorruptionException(String message, String file, long offset, @Nullable Throwable cause) {
    super(
        message + " (file " + Escape.text(file) + (offset < 0 ? ")" : ", offset " + offset + ")"),
        cause);
    this.file = file;
    this.offset = offset;
  }

  /** Returns the name or path of the damaged file. */
  public String file() {
    return file;
  }

  /** Returns the byte offset of the damage in the file, or {@link #NO_OFFSET}. */
  public long offset() {
    return offset;
  }
}
