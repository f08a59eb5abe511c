package dev.kv.load;

import dev.kv.event.ProgressListener;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How a bulk load is done. Immutable and thread-safe; made by {@link #builder()}. */
public final class BulkLoadOptions {
  private static final ProgressListener NO_PROGRESS = (done, total) -> {};

  /** The options of a load whose keys ascend. */
  public static final BulkLoadOptions DEFAULT = builder().build();

  /** The least sort memory, in bytes. */
  private static final long LEAST_SORT_MEMORY = 1L << 20;

  /** The most sort memory, in bytes. */
  private static final long MOST_SORT_MEMORY = 1L << 30;

  private final boolean sorted;
  private final long sortMemory;
  private final ProgressListener progress;

  private BulkLoadOptions(Builder builder) {
    sorted = builder.sorted;
    sortMemory = builder.sortMemory;
    progress = builder.progress;
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
   * Returns true if the keys are added in ascending order. If false, the load sorts them on disk.
   * Default: true.
   *
   * @return true if the keys ascend
   */
  public boolean sorted() {
    return sorted;
  }

  /**
   * Returns the off-heap memory in which entries are sorted before they go to disk, in bytes. Not
   * used if the keys ascend. Default: 64 MiB.
   *
   * @return the memory in bytes, from 1 MiB to 1 GiB
   */
  public long sortMemory() {
    return sortMemory;
  }

  /**
   * Returns who receives the progress of {@link BulkLoader#finish} if entries are sorted on disk:
   * how many of the added entries are in tables. It is called every few thousand entries. Default:
   * nobody.
   *
   * @return the receiver
   */
  public ProgressListener progress() {
    return progress;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof BulkLoadOptions options
        && sorted == options.sorted
        && sortMemory == options.sortMemory
        && progress.equals(options.progress);
  }

  @Override
  public int hashCode() {
    return Objects.hash(sorted, sortMemory, progress);
  }

  /** Returns the names and values of all options, for logs. */
  @Override
  public String toString() {
    return "BulkLoadOptions{sorted="
        + sorted
        + ", sortMemory="
        + sortMemory
        + ", progress="
        + (progress == NO_PROGRESS ? "none" : progress)
        + "}";
  }

  /** Builds options. Not thread-safe. */
  public static final class Builder {
    private boolean sorted = true;
    private long sortMemory = 64 << 20;
    private ProgressListener progress = NO_PROGRESS;

    private Builder() {}

    /**
     * Sets whether the keys ascend; see {@link BulkLoadOptions#sorted()}.
     *
     * @param now true if they do
     * @return this builder
     */
    public Builder sorted(boolean now) {
      sorted = now;
      return this;
    }

    /**
     * Sets the memory of a sort; see {@link BulkLoadOptions#sortMemory()}.
     *
     * @param bytes the memory in bytes
     * @return this builder
     * @throws IllegalArgumentException if it is less than 1 MiB or more than 1 GiB
     */
    public Builder sortMemory(long bytes) {
      if (bytes < LEAST_SORT_MEMORY || bytes > MOST_SORT_MEMORY) {
        throw new IllegalArgumentException(
            "sortMemory is " + bytes + ", must be from 1 MiB to 1 GiB");
      }
      sortMemory = bytes;
      return this;
    }

    /**
     * Sets who receives the progress; see {@link BulkLoadOptions#progress()}.
     *
     * @param receiver the receiver
     * @return this builder
     */
    public Builder progress(ProgressListener receiver) {
      progress = Objects.requireNonNull(receiver, "receiver");
      return this;
    }

    /**
     * Returns the options.
     *
     * @return the options
     */
    public BulkLoadOptions build() {
      return new BulkLoadOptions(this);
    }
  }
}
