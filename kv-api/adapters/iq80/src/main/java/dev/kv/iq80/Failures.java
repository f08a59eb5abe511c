package dev.kv.iq80;

import java.io.IOException;
import org.iq80.leveldb.DBException;
import org.jspecify.annotations.Nullable;

/** Translates failures into those that the old interfaces declare. */
final class Failures {
  private Failures() {}

  /** Returns what an operation on an open database throws; the cause is kv's exception. */
  static DBException of(dev.kv.errors.DBException failure) {
    return new DBException(failure.getMessage(), failure);
  }

  /** Returns what an open, a repair or a destroy throws; the cause is kv's exception. */
  static IOException ofFactory(dev.kv.errors.DBException failure) {
    return new IOException(failure.getMessage(), failure);
  }

  /**
   * Returns {@code argument}.
   *
   * @throws IllegalArgumentException if it is null
   */
  static <T> T requireArgument(@Nullable T argument, String name) {
    if (argument == null) {
      throw new IllegalArgumentException("The " + name + " argument cannot be null");
    }
    return argument;
  }
}
