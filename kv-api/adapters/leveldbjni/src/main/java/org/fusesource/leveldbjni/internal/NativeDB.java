package org.fusesource.leveldbjni.internal;

import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBLockedException;
import dev.kv.errors.DatabaseExistsException;
import dev.kv.errors.NoSuchDatabaseException;
import dev.kv.errors.NotADirectoryException;
import dev.kv.errors.UnsupportedFormatException;
import java.io.File;
import java.io.IOException;

/** The name in which leveldbjni's exception is nested; nothing else of it is here. */
public final class NativeDB {
  private NativeDB() {}

  /**
   * Thrown when an open, a repair or a destroy fails. The message is in the form that C++ LevelDB
   * gives it, since programs look for parts of it; the cause is kv's exception.
   */
  public static class DBException extends IOException {
    private static final long serialVersionUID = 1L;

    private final boolean notFound;

    /**
     * Creates the exception.
     *
     * @param message the text, in the form that C++ LevelDB gives it
     */
    public DBException(String message) {
      this(message, false);
    }

    DBException(String message, boolean notFound) {
      super(message);
      this.notFound = notFound;
    }

    /**
     * Returns the exception that stands for a failure of kv.
     *
     * @param failure what kv threw
     * @param path the database's directory, as the program gave it
     * @return the exception to throw
     */
    public static DBException of(dev.kv.errors.DBException failure, File path) {
      DBException translated =
          new DBException(text(failure, path), failure instanceof NoSuchDatabaseException);
      translated.initCause(failure);
      return translated;
    }

    private static String text(dev.kv.errors.DBException failure, File path) {
      if (failure instanceof NoSuchDatabaseException) {
        return "Invalid argument: " + path + ": does not exist (create_if_missing is false)";
      }
      if (failure instanceof DatabaseExistsException) {
        return "Invalid argument: " + path + ": exists (error_if_exists is true)";
      }
      if (failure instanceof DBLockedException) {
        return "IO error: lock "
            + new File(path, "LOCK")
            + ": already held by process ("
            + failure.getMessage()
            + ")";
      }
      return kind(failure) + failure.getMessage();
    }

    /** Returns the word with which C++ LevelDB begins the text of such a failure. */
    private static String kind(dev.kv.errors.DBException failure) {
      if (failure instanceof CorruptionException) {
        return "Corruption: ";
      }
      if (failure instanceof UnsupportedFormatException) {
        return "Invalid argument: ";
      }
      if (failure instanceof DBIOException || failure instanceof NotADirectoryException) {
        return "IO error: ";
      }
      return "";
    }

    /**
     * Returns true if there is no database in the directory.
     *
     * @return true if the open failed because there was nothing to open
     */
    public boolean isNotFound() {
      return notFound;
    }
  }
}
