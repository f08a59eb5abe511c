package dev.kv;

import dev.kv.errors.ConflictException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How a transaction is done. Immutable and thread-safe; made by {@link #builder()}. */
public final class TransactionOptions extends OptionGroup<TransactionOptions> {
  private static final Declared OPTIONS = new Declared("TransactionOptions");

  private static final Option<Isolation> ISOLATION =
      OPTIONS.option("isolation", Isolation.SNAPSHOT);
  private static final Option<WriteOptions> WRITE_OPTIONS =
      OPTIONS.option("writeOptions", WriteOptions.DEFAULT);
  private static final Option<Long> MAX_BYTES = OPTIONS.number("maxBytes", 64L << 20, 1);
  private static final Option<Duration> MAX_AGE = OPTIONS.option("maxAge", Duration.ofMinutes(1));
  private static final Option<Integer> MAX_ATTEMPTS = OPTIONS.number("maxAttempts", 100, 1);

  /** Level snapshot, without sync, at most 64 MiB and one minute. */
  public static final TransactionOptions DEFAULT = new TransactionOptions(OPTIONS.defaults());

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

  private TransactionOptions(@Nullable Object[] values) {
    super(OPTIONS, values);
  }

  @Override
  TransactionOptions of(@Nullable Object[] values) {
    return new TransactionOptions(values);
  }

  /**
   * Returns a builder whose values are the defaults.
   *
   * @return a new builder
   */
  public static Builder builder() {
    return new Builder(DEFAULT);
  }

  /**
   * Returns a builder whose values are those of these options.
   *
   * @return a new builder
   */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /**
   * Returns which keys the transaction depends on. Default: {@link Isolation#SNAPSHOT}.
   *
   * @return the level of isolation
   */
  public Isolation isolation() {
    return get(ISOLATION);
  }

  /**
   * Returns how the commit is written. Default: {@link WriteOptions#DEFAULT}, without sync.
   *
   * @return the write options
   */
  public WriteOptions writeOptions() {
    return get(WRITE_OPTIONS);
  }

  /**
   * Returns the maximum number of bytes that a transaction keeps on the heap: the keys and values
   * that it wrote, the keys and bounds that it read and depends on, and 64 bytes for each of them.
   * Default: 64 MiB.
   *
   * @return the limit in bytes
   */
  public long maxBytes() {
    return get(MAX_BYTES);
  }

  /**
   * Returns the maximum time between the beginning of a transaction and its commit. Default: one
   * minute.
   *
   * @return the limit
   */
  public Duration maxAge() {
    return get(MAX_AGE);
  }

  /**
   * Returns how often {@link DB#transact} tries before it throws the {@link ConflictException}.
   * Default: 100.
   *
   * @return the number of attempts, at least 1
   */
  public int maxAttempts() {
    return get(MAX_ATTEMPTS);
  }

  /** Builds {@link TransactionOptions}. Not thread-safe. */
  public static final class Builder extends OptionGroup.Builder<TransactionOptions, Builder> {
    private Builder(TransactionOptions options) {
      super(options);
    }

    /**
     * Sets {@link TransactionOptions#isolation()}.
     *
     * @param isolation the level of isolation
     * @return this builder
     */
    public Builder isolation(Isolation isolation) {
      return set(ISOLATION, isolation);
    }

    /**
     * Sets {@link TransactionOptions#writeOptions()}.
     *
     * @param writeOptions how the commit is written
     * @return this builder
     */
    public Builder writeOptions(WriteOptions writeOptions) {
      return set(WRITE_OPTIONS, writeOptions);
    }

    /**
     * Sets {@link TransactionOptions#maxBytes()}.
     *
     * @param maxBytes the limit in bytes
     * @return this builder
     * @throws IllegalArgumentException if the limit is not positive
     */
    public Builder maxBytes(long maxBytes) {
      return set(MAX_BYTES, maxBytes);
    }

    /**
     * Sets {@link TransactionOptions#maxAge()}.
     *
     * @param maxAge the limit, at most 290 years
     * @return this builder
     * @throws IllegalArgumentException if the limit is not positive, or above 290 years
     */
    public Builder maxAge(Duration maxAge) {
      Objects.requireNonNull(maxAge, "maxAge");
      if (maxAge.isZero() || maxAge.isNegative() || maxAge.compareTo(LONGEST_TIME) > 0) {
        throw new IllegalArgumentException("maxAge must be positive, up to 290 years: " + maxAge);
      }
      return set(MAX_AGE, maxAge);
    }

    /**
     * Sets {@link TransactionOptions#maxAttempts()}.
     *
     * @param maxAttempts the number of attempts
     * @return this builder
     * @throws IllegalArgumentException if the number is not positive
     */
    public Builder maxAttempts(int maxAttempts) {
      return set(MAX_ATTEMPTS, maxAttempts);
    }

    /**
     * Builds the options.
     *
     * @return options with the values of this builder, which may be used further
     */
    public TransactionOptions build() {
      return options();
    }
  }
}
