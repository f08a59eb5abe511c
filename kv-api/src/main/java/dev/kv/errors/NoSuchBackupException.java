package dev.kv.errors;

/**
 * Thrown by {@link dev.kv.backup.Backups} if there is no such backup, or no backup at all. Nothing
 * on disk was changed.
 */
public final class NoSuchBackupException extends DBException {
  private static final long serialVersionUID = 1L;

  private final String directory;

  /**
   * Creates the exception.
   *
   * @param message what is wrong, and where
   * @param directory the path of the directory of the backups
   */
  public NoSuchBackupException(String message, String directory) {
    super(message, null);
    this.directory = directory;
  }

  /**
   * Returns the path of the directory of the backups.
   *
   * @return the path, as it was given
   */
  public String directory() {
    return directory;
  }
}
