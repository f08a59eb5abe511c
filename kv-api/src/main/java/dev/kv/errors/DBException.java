package dev.kv.errors;

import org.jspecify.annotations.Nullable;

/**
 * The root of all exceptions that the library throws for a reason outside the caller's code. Misuse
 * of the API (a null, a negative size) is a {@link NullPointerException}, an {@link
 * IllegalArgumentException} or an {@link IllegalStateException} instead. Later versions may add
 * subclasses.
 */
public abstract sealed class DBException extends RuntimeException
    permits ChangesLostException,
        ComparatorException,
        ConflictException,
        CorruptionException,
        DBClosedException,
        DBIOException,
        DBLockedException,
        DBReadOnlyException,
        DatabaseExistsException,
        NoSuchBackupException,
        NoSuchDatabaseException,
        NotADirectoryException,
        OffHeapExhaustedException,
        OperationTooLargeException,
        TransactionTooOldException,
        UnsupportedFormatException {
  private static final long serialVersionUID = 1L;

  DBException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
