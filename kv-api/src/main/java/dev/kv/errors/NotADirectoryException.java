package dev.kv.errors;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by an open, a repair or a destroy if the path of the database is not a directory but, for
 * example, a regular file, and by {@link dev.kv.backup.Backups} if that of the backups is not.
 * Nothing on disk was changed.
 */
public final class NotADirectoryException extends DBException {
  private static final long serialVersionUID = 1L;

  private final String directory;

  /**
   * Creates the exception.
   *
   * @param message what is wrong, where, and what to do
   * @param directory the path that is not a directory
   */
  public NotADirectoryException(String message, String directory) {
    this(message, directory, null);
  }

  /**
   * Creates the exception with the failure that led to it.
   *
   * @param message what is wrong, where, and what to do
   * @param directory the path that is not a directory
   * @param cause the failure that led to it, or null if there is none
   */
  public NotADirectoryException(String message, String directory, @Nullable Throwable cause) {
    super(message, cause);
    this.directory = directory;
  }

  /**
   * Returns the path that is not a directory.
   *
   * @return the path, as it was given
   */
  public String directory() {
    return directory;
  }
}
