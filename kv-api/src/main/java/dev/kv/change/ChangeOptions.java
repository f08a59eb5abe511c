package dev.kv.change;

import org.jspecify.annotations.Nullable;

/**
 * What {@link ChangeFeed#open(ChangeOptions, ChangePosition)} delivers. Immutable and thread-safe;
 * made by {@link #builder()}.
 */
public final class ChangeOptions {
  /** Delivers durable groups only. */
  public static final ChangeOptions DEFAULT = builder().build();

  /** Delivers every group as soon as readers see it. */
  public static final ChangeOptions UNSYNCED = builder().unsynced(true).build();

  private final boolean unsynced;

  private ChangeOptions(Builder builder) {
    unsynced = builder.unsynced;
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
    return builder().unsynced(unsynced);
  }

  /**
   * Returns true if a group is delivered as soon as readers see it. If false, it is delivered when
   * it is durable: after the next sync of the log, by a write with {@link dev.kv.WriteOptions#sync}
   * or by {@link dev.kv.DBWriter#syncAsync}, or when its memtable is flushed. A follower that reads
   * unsynced groups may have writes that the database loses with the power; then its position is
   * refused with {@link dev.kv.errors.ChangesLostException}. Default: false.
   *
   * @return true if groups are delivered before they are durable
   */
  public boolean unsynced() {
    return unsynced;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ChangeOptions options && unsynced == options.unsynced;
  }

  @Override
  public int hashCode() {
    return Boolean.hashCode(unsynced);
  }

  /** Returns the names and values of all options, for logs. */
  @Override
  public String toString() {
    return "ChangeOptions[unsynced=" + unsynced + "]";
  }

  /** Builds {@link ChangeOptions}. Not thread-safe. */
  public static final class Builder {
    private boolean unsynced;

    private Builder() {}

    /**
     * Sets {@link ChangeOptions#unsynced()}.
     *
     * @param unsynced whether groups are delivered before they are durable
     * @return this builder
     */
    public Builder unsynced(boolean unsynced) {
      this.unsynced = unsynced;
      return this;
    }

    /**
     * Builds the options.
     *
     * @return options with the values of this builder, which may be used further
     */
    public ChangeOptions build() {
      return new ChangeOptions(this);
    }
  }
}
