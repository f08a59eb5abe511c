package dev.kv.options;

import dev.kv.change.ChangeFeed;
import dev.kv.change.ChangePosition;
import java.time.Duration;
import java.util.Objects;

/**
 * How long a database keeps logs that it does not need any more itself, so that {@link
 * ChangeFeed#open(ChangePosition)} can read them. The oldest log is deleted as soon as one of the
 * bounds is exceeded, when a flush ends or the database is opened. The logs that a recovery needs
 * are kept in any case, and do not count.
 *
 * @param bytes how large the kept logs may be together, in bytes; the last one may not fit
 *     completely, so less than this is kept
 * @param age how long a log may be kept after it is not needed any more: after its memtable was
 *     flushed, or the open that found it so
 */
public record LogRetention(long bytes, Duration age) {
  /**
   * Creates bounds.
   *
   * @param bytes how large the kept logs may be together, in bytes
   * @param age how long a log may be kept after it is not needed any more
   * @throws IllegalArgumentException if a bound is negative
   */
  public LogRetention {
    Objects.requireNonNull(age, "age");
    if (bytes < 0 || age.isNegative()) {
      throw new IllegalArgumentException("a bound is negative: " + bytes + " bytes, " + age);
    }
  }

  /**
   * Returns bounds for the size alone.
   *
   * @param bytes how large the kept logs may be together, in bytes
   * @return the bounds
   */
  public static LogRetention ofBytes(long bytes) {
    return new LogRetention(bytes, Duration.ofMillis(Long.MAX_VALUE));
  }
}
