package dev.kv.errors;

import org.jspecify.annotations.Nullable;

/**
 * The root of all exceptions that the library throws for a reason outside the caller's code. Misuse
 * of the API (a null, a negative size) is a {@link NullPointerException}, an {@link
 * IllegalArgumentException} or an {@link IllegalStateException} instead. A write that throws one
 * was not done, except after an {@link OutcomeUnknownException} or a {@link ComparatorException}.
 *
 * <p>Later versions may add subclasses: a {@code switch} over them needs a default branch. All are
 * in this package.
 */
public abstract class DBException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DBException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
