package dev.kv;

import dev.kv.errors.ConflictException;
import java.time.Duration;
import java.util.Objects;

/** How a transaction is done. Immutable and thread-safe; made by {@link #builder()}. */
public final class TransactionOptions {
  /** The nanoseconds of this duration fit a long. */
  private static final Duration MAX_AGE = Duration.ofDays(290L * 365);

  /** Level snapshot, without sync, at most 64 MiB and one minute. */
  public static final TransactionOptions DEFAULT = builder().build();

  /** Level serializable, and otherwise as {@link #DEFAULT}. */
  public static final TransactionOptions SERIALIZABLE =
      builder().isolation(Isolation.SERIALIZABLE).build();

  /** Which keys a transaction depends on. */
  public enum Isolation {
    /**
     * The keys that it wrote, and those that it read by {@link Transaction#getForUpdate}. Two
     * transactions that read the same keys and write different ones can both commit (write skew).
     */
    SNAPSHOT,

    /**
     * All keys that it read or wrote, and all ranges that its cursors moved over, with the keys
     * that did not exist in them. All committed transactions of this level have the effect that
     * they would have one after the other, in the order of their commits.
     */
    SERIALIZABLE
  }

  private final Isolation isolation;
  private final WriteOptions writeOptions;
  private final long maxBytes;
  private final Duration maxAge;
  private final int maxAttempts;

  private TransactionOptions(Builder builder) {
    isolation = builder.isolation;
    writeOptions = builder.writeOptions;
    maxBytes = builder.maxBytes;
    maxAge = builder.maxAge;
    maxAttempts = builder.maxAttempts;
  }

  /**
   * Returns a builder whose values are the defaults.
   *
   * @return a new builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns a builder whose values are those of these options.
   *
   * @return a new builder
   */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.isolation = isolation;
    builder.writeOptions = writeOptions;
    builder.maxBytes = maxBytes;
    builder.maxAge = maxAge;
    builder.maxAttempts = maxAttempts;
    return builder;
  }

  /**
   * Returns which keys the transaction depends on. Default: {@link Isolation#SNAPSHOT}.
   *
   * @return the level of isolation
   */
  public Isolation isolation() {
    return isolation;
  }

  /**
   * Returns how the commit is written. Default: {@link WriteOptions#DEFAULT}, without sync.
   *
   * @return the write options
   */
  public WriteOptions writeOptions() {
    return writeOptions;
  }

  /**
   * Returns the maximum number of bytes that a transaction keeps on the heap: the keys and values
   * that it wrote, the keys and bounds that it read and depends on, and 64 bytes for each of them.
   * Default: 64 MiB.
   *
   * @return the limit in bytes
   */
  public long maxBytes() {
    return maxBytes;
  }

  /**
   * Returns the maximum time between the beginning of a transaction and its commit. Default: one
   * minute.
   *
   * @return the limit
   */
  public Duration maxAge() {
    return maxAge;
  }

  /**
   * Returns how often {@link DB#transact} tries before it throws the {@link ConflictException}.
   * Default: 100.
   *
   * @return the number of attempts, at least 1
   */
  public int maxAttempts() {
    return maxAttempts;
  }

  /** Returns all options, for logs. */
  @Override
  public String toString() {
    return "TransactionOptions[isolation="
        + isolation
        + ", sync="
        + writeOptions.sync()
        + ", maxBytes="
        + maxBytes
        + ", maxAge="
        + maxAge
        + ", maxAttempts="
        + maxAttempts
        + "]";
  }

  /** Builds {@link TransactionOptions}. Not thread-safe. */
  public static final class Builder {
    private Isolation isolation = Isolation.SNAPSHOT;
    private WriteOptions writeOptions = WriteOptions.DEFAULT;
    private long maxBytes = 64L << 20;
    private Duration maxAge = Duration.ofMinutes(1);
    private int maxAttempts = 100;

    private Builder() {}

    /**
     * Sets {@link TransactionOptions#isolation()}.
     *
     * @param isolation the level of isolation
     * @return this builder
     */
    public Builder isolation(Isolation isolation) {
      this.isolation = Objects.requireNonNull(isolation, "isolation");
      return this;
    }

    /**
     * Sets {@link TransactionOptions#writeOptions()}.
     *
     * @param writeOptions how the commit is written
     * @return this builder
     */
    public Builder writeOptions(WriteOptions writeOptions) {
      this.writeOptions = Objects.requireNonNull(writeOptions, "writeOptions");
      return this;
    }

    /**
     * Sets {@link TransactionOptions#maxBytes()}.
     *
     * @param maxBytes the limit in bytes
     * @return this builder
     * @throws IllegalArgumentException if the limit is not positive
     */
    public Builder maxBytes(long maxBytes) {
      if (maxBytes <= 0) {
        throw new IllegalArgumentException("maxBytes must be positive: " + maxBytes);
      }
      this.maxBytes = maxBytes;
      return this;
    }

    /**
     * Sets {@link TransactionOptions#maxAge()}.
     *
     * @param maxAge the limit, at most 290 years
     * @return this builder
     * @throws IllegalArgumentException if the limit is not positive
     */
    public Builder maxAge(Duration maxAge) {
      Objects.requireNonNull(maxAge, "maxAge");
      if (maxAge.isZero() || maxAge.isNegative() || maxAge.compareTo(MAX_AGE) > 0) {
        throw new IllegalArgumentException("maxAge must be positive, up to 290 years: " + maxAge);
      }
      this.maxAge = maxAge;
      return this;
    }

    /**
     * Sets {@link TransactionOptions#maxAttempts()}.
     *
     * @param maxAttempts the number of attempts
     * @return this builder
     * @throws IllegalArgumentException if the number is not positive
     */
    public Builder maxAttempts(int maxAttempts) {
      if (maxAttempts <= 0) {
        throw new IllegalArgumentException("maxAttempts must be positive: " + maxAttempts);
      }
      this.maxAttempts = maxAttempts;
      return this;
    }

    /**
     * Builds the options.
     *
     * @return options with the values of this builder, which may be used further
     */
    public TransactionOptions build() {
      return new TransactionOptions(this);
    }
  }
}
