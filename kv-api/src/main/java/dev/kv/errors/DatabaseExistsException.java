package dev.kv.errors;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by an open with {@link dev.kv.Options#errorIfExists} if the directory already holds a
 * database, and by a checkpoint or restore if the directory that it would create exists. Nothing
 * was changed.
 */
public final class DatabaseExistsException extends DBException {
  private static final long serialVersionUID = 1L;

  private final String directory;

  /**
   * Creates the exception.
   *
   * @param message what is wrong, where, and what to do
   * @param directory the path of the existing directory
   */
  public DatabaseExistsException(String message, String directory) {
    this(message, directory, null);
  }

  /**
   * Creates the exception with the failure that led to it.
   *
   * @param message what is wrong, where, and what to do
   * @param directory the path of the existing directory
   * @param cause the failure that led to it, or null if there is none
   */
  public DatabaseExistsException(String message, String directory, @Nullable Throwable cause) {
    super(message, cause);
    this.directory = directory;
  }

  /**
   * Returns the path of the existing directory.
   *
   * @return the path, as it was given
   */
  public String directory() {
    return directory;
  }
}
