package dev.kv;

import org.jspecify.annotations.Nullable;

/** How a write is done. Immutable and thread-safe; made by {@link #builder()}. */
public final class WriteOptions {
  /** Without sync. */
  public static final WriteOptions DEFAULT = builder().build();

  /** With sync. */
  public static final WriteOptions SYNC = builder().sync(true).build();

  private final boolean sync;

  private WriteOptions(Builder builder) {
    sync = builder.sync;
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
    return builder().sync(sync);
  }

  /**
   * Returns true if the write must survive a loss of power once the call returns, and false if it
   * only has to survive the death of the process. Default: false.
   *
   * @return true if the write is synced
   */
  public boolean sync() {
    return sync;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof WriteOptions options && sync == options.sync;
  }

  @Override
  public int hashCode() {
    return Boolean.hashCode(sync);
  }

  /** Returns the names and values of all options, for logs. */
  @Override
  public String toString() {
    return "WriteOptions[sync=" + sync + "]";
  }

  /** Builds {@link WriteOptions}. Not thread-safe. */
  public static final class Builder {
    private boolean sync;

    private Builder() {}

    /**
     * Sets {@link WriteOptions#sync()}.
     *
     * @param sync whether the write is synced
     * @return this builder
     */
    public Builder sync(boolean sync) {
      this.sync = sync;
      return this;
    }

    /**
     * Builds the options.
     *
     * @return options with the values of this builder, which may be used further
     */
    public WriteOptions build() {
      return new WriteOptions(this);
    }
  }
}
