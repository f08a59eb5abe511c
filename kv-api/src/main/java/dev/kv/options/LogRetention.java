package dev.kv.options;

import dev.kv.change.ChangeFeed;
import dev.kv.change.ChangePosition;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How long a database keeps logs that it does not need any more itself, so that {@link
 * ChangeFeed#open(ChangePosition)} can read them. The oldest log is deleted as soon as one of the
 * bounds is exceeded, when a flush ends or the database is opened. The logs that a recovery needs
 * are kept in any case, and do not count. Immutable and thread-safe; made by {@link #builder()}.
 */
public final class LogRetention {
  private final long bytes;
  private final Duration age;

  private LogRetention(Builder builder) {
    bytes = builder.bytes;
    age = builder.age;
  }

  /**
   * Returns a builder without bounds.
   *
   * @return a new builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns a bound for the size alone.
   *
   * @param bytes how large the kept logs may be together, in bytes
   * @return the bound
   * @throws IllegalArgumentException if it is negative
   */
  public static LogRetention ofBytes(long bytes) {
    return builder().bytes(bytes).build();
  }

  /**
   * Returns a builder with these bounds.
   *
   * @return a new builder
   */
  public Builder toBuilder() {
    return builder().bytes(bytes).age(age);
  }

  /**
   * Returns how large the kept logs may be together. The last one may not fit completely, so less
   * than this is kept. Default: {@link Long#MAX_VALUE}, which is no bound.
   *
   * @return the size in bytes
   */
  public long bytes() {
    return bytes;
  }

  /**
   * Returns how long a log may be kept after it is not needed any more: after its memtable was
   * flushed, or the open that found it so. Default: {@link Long#MAX_VALUE} milliseconds, which is
   * no bound.
   *
   * @return the time
   */
  public Duration age() {
    return age;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LogRetention retention
        && bytes == retention.bytes
        && age.equals(retention.age);
  }

  @Override
  public int hashCode() {
    return Objects.hash(bytes, age);
  }

  /** Returns both bounds, for logs. */
  @Override
  public String toString() {
    return "LogRetention[bytes=" + bytes + ", age=" + age + "]";
  }

  /** Builds a {@link LogRetention}. Not thread-safe. */
  public static final class Builder {
    private long bytes = Long.MAX_VALUE;
    private Duration age = Duration.ofMillis(Long.MAX_VALUE);

    private Builder() {}

    /**
     * Sets {@link LogRetention#bytes()}.
     *
     * @param bytes the size in bytes
     * @return this builder
     * @throws IllegalArgumentException if it is negative
     */
    public Builder bytes(long bytes) {
      if (bytes < 0) {
        throw new IllegalArgumentException("bytes is negative: " + bytes);
      }
      this.bytes = bytes;
      return this;
    }

    /**
     * Sets {@link LogRetention#age()}.
     *
     * @param age the time
     * @return this builder
     * @throws IllegalArgumentException if it is negative
     */
    public Builder age(Duration age) {
      Objects.requireNonNull(age, "age");
      if (age.isNegative()) {
        throw new IllegalArgumentException("age is negative: " + age);
      }
      this.age = age;
      return this;
    }

    /**
     * Builds the bounds.
     *
     * @return the bounds of this builder, which may be used further
     */
    public LogRetention build() {
      return new LogRetention(this);
    }
  }
}
