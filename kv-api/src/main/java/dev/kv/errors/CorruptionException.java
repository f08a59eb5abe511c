package dev.kv.errors;

import dev.kv.bytes.Escape;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if bytes on disk are not what the format requires. It has the path of the file and, if it
 * is known, the offset of the damage.
 */
public final class CorruptionException extends DBException {
  private static final long serialVersionUID = 1L;

  /** The value of {@link #offset()} if no single offset is at fault. */
  public static final long NO_OFFSET = -1;

  private final String file;
  private final long offset;

  /**
   * Creates the exception.
   *
   * @param message what is wrong; the constructor appends the file and the offset
   * @param file the path of the damaged file, see {@link #file()}
   * @param offset the byte offset in that file, or {@link #NO_OFFSET}
   */
  public CorruptionException(String message, String file, long offset) {
    this(message, file, offset, null);
  }

  /**
   * Creates the exception with the failure that revealed the damage.
   *
   * @param message what is wrong; the constructor appends the file and the offset
   * @param file the path of the damaged file, see {@link #file()}
   * @param offset the byte offset in that file, or {@link #NO_OFFSET}
   * @param cause the failure, or null if there is none
   */
  public CorruptionException(String message, String file, long offset, @Nullable Throwable cause) {
    super(
        message + " (file " + Escape.text(file) + (offset < 0 ? ")" : ", offset " + offset + ")"),
        cause);
    this.file = file;
    this.offset = offset;
  }

  /**
   * Returns the path of the damaged file: that of its directory, as the program gave it, and the
   * name of the file in it. It is relative if the program gave a relative path.
   *
   * <p>It is the path of the database if no single file is at fault; the name of the file alone if
   * a checkpoint or a backup finds the damage while it copies a file of the database; and {@code
   * memtable} if a flush finds damage in memory.
   *
   * @return the path
   */
  public String file() {
    return file;
  }

  /**
   * Returns the position of the damage in the file.
   *
   * @return the byte offset, or {@link #NO_OFFSET}
   */
  public long offset() {
    return offset;
  }
}
