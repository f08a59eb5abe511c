package dev.kv.core.env;

import java.io.Closeable;
import java.io.IOException;
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
    Throwable first = run(steps);
    if (first != null) {
      throw unchecked(first);
    }
  }

  /**
   * As {@link #of(AutoCloseable...)}, for steps that may fail with an IOException.
   *
   * @throws IOException if that is the first failure
   */
  public static void ofFiles(List<? extends Closeable> steps) throws IOException {
    throwOfFiles(run(steps));
  }

  /**
   * Throws the first failure of steps that may fail with an IOException; does nothing for null.
   *
   * @throws IOException if that is the failure
   */
  public static void throwOfFiles(@Nullable Throwable first) throws IOException {
    if (first instanceof IOException failure) {
      throw failure;
    } else if (first != null) {
      throw unchecked(first);
    }
  }

  private static @Nullable Throwable run(List<? extends AutoCloseable> steps) {
    Throwable first = null;
    for (AutoCloseable step : steps) {
      try {
        step.close();
      } catch (Throwable e) {
        first = first(first, e);
      }
    }
    return first;
  }

  /** Returns the first failure, to which a later one is added; the later one if it is the first. */
  public static Throwable first(@Nullable Throwable first, Throwable later) {
    if (first == null) {
      return later;
    }
    addSuppressed(first, later);
    return first;
  }

  /**
   * Adds a later failure to the first one as suppressed. They may be the same object, which {@link
   * Throwable#addSuppressed} refuses: the JVM throws one error again and again if there is no
   * memory.
   */
  public static void addSuppressed(Throwable first, Throwable later) {
    if (later != first) {
      first.addSuppressed(later);
    }
  }

  /**
   * Returns the exception with which to pass on a failure of any step: itself, or one with it as
   * the cause if it is a checked exception. Throws it if it is an Error.
   */
  public static RuntimeException unchecked(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    return failure instanceof RuntimeException unchecked
        ? unchecked
        : new UndeclaredThrowableException(failure);
  }
}
