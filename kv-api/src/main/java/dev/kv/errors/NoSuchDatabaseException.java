package dev.kv.errors;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by an open without {@link dev.kv.Options#createIfMissing}, and by a repair, if there is no
 * database: the directory does not exist, or holds no file CURRENT (for a repair: no table, log or
 * MANIFEST). Nothing on disk was changed.
 */
public final class NoSuchDatabaseException extends DBException {
  private static final long serialVersionUID = 1L;

  private final String directory;

  /**
   * Creates the exception.
   *
   * @param message what is wrong, where, and what to do
   * @param directory the path of the directory without a database
   */
  public NoSuchDatabaseException(String message, String directory) {
    this(message, directory, null);
  }

  /**
   * Creates the exception with the failure that led to it.
   *
   * @param message what is wrong, where, and what to do
   * @param directory the path of the directory without a database
   * @param cause the failure that led to it, or null if there is none
   */
  public NoSuchDatabaseException(String message, String directory, @Nullable Throwable cause) {
    super(message, cause);
    this.directory = directory;
  }

  /**
   * Returns the path of the directory without a database.
   *
   * @return the path, as it was given
   */
  public String directory() {
    return directory;
  }
}
