package dev.kv.core.env;

import java.lang.reflect.UndeclaredThrowableException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Closes several things in order, each of them although an earlier one fails. */
public final class CloseAll {
  private CloseAll() {}

  /**
   * Runs all steps, and then throws the first failure, with the others as suppressed.
   *
   * @throws UndeclaredThrowableException if the first failure is a checked exception: a callback or
   *     an Env in another language may throw one
   */
  public static void of(AutoCloseable... steps) {
    of(Arrays.asList(steps));
  }

  /** As {@link #of(AutoCloseable...)}. */
  public static void of(List<? extends AutoCloseable> steps) {
    Throwable first = null;
    for (AutoCloseable step : steps) {
      try {
        step.close();
      } catch (Throwable e) {
        first = add(first, e);
      }
    }
    if (first instanceof RuntimeException failure) {
      throw failure;
    } else if (first instanceof Error error) {
      throw error;
    } else if (first != null) {
      throw new UndeclaredThrowableException(first);
    }
  }

  private static Throwable add(@Nullable Throwable first, Throwable next) {
    if (first == null) {
      return next;
    }
    if (first != next) {
      first.addSuppressed(next);
    }
    return first;
  }
}
