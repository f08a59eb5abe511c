package dev.kv;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a read is done. Immutable; made by {@link #builder()}. Arrays given to the builder are
 * copied.
 */
public final class ReadOptions {
  /** Checksums verified, cache filled, no snapshot, no bounds. */
  public static final ReadOptions DEFAULT = builder().build();

  private final boolean verifyChecksums;
  private final boolean fillCache;
  private final @Nullable Snapshot snapshot;
  private final byte @Nullable [] lowerBound;
  private final byte @Nullable [] upperBound;
  private final byte @Nullable [] prefix;

  private ReadOptions(Builder builder) {
    verifyChecksums = builder.verifyChecksums;
    fillCache = builder.fillCache;
    snapshot = builder.snapshot;
    lowerBound = builder.lowerBound;
    upperBound = builder.upperBound;
    prefix = builder.prefix;
  }

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns options that read from {@code snapshot}, otherwise the defaults. */
  public static ReadOptions from(Snapshot snapshot) {
    return builder().snapshot(snapshot).build();
  }

  /** Returns a builder with these values. */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.verifyChecksums = verifyChecksums;
    builder.fillCache = fillCache;
    builder.snapshot = snapshot;
    builder.lowerBound = lowerBound;
    builder.upperBound = upperBound;
    builder.prefix = prefix;
    return builder;
  }

  /**
   * Returns whether each block's checksum is verified when it is loaded. Default true (C++: false).
   */
  public boolean verifyChecksums() {
    return verifyChecksums;
  }

  /** Returns whether blocks that are read are put into the cache. Default true. */
  public boolean fillCache() {
    return fillCache;
  }

  /** Returns the snapshot to read from, or null for the newest state. */
  public @Nullable Snapshot snapshot() {
    return snapshot;
  }

  /** Returns the smallest key that an iterator shows, or null. */
  public byte @Nullable [] lowerBound() {
    return lowerBound == null ? null : lowerBound.clone();
  }

  /** Returns the key before which an iterator ends, or null. */
  public byte @Nullable [] upperBound() {
    return upperBound == null ? null : upperBound.clone();
  }

  /** Returns the bytes that every key shown by an iterator begins with, or null. */
  public byte @Nullable [] prefix() {
    return prefix == null ? null : prefix.clone();
  }

  /** Builds {@link ReadOptions}. Not thread-safe. */
  public static final class Builder {
    private boolean verifyChecksums = true;
    private boolean fillCache = true;
    private @Nullable Snapshot snapshot;
    private byte @Nullable [] lowerBound;
    private byte @Nullable [] upperBound;
    private byte @Nullable [] prefix;

    private Builder() {}

    /** Sets whether checksums are verified when a block is loaded. */
    public Builder verifyChecksums(boolean verify) {
      verifyChecksums = verify;
      return this;
    }

    /** Sets whether blocks that are read are put into the cache; false suits a bulk scan. */
    public Builder fillCache(boolean fill) {
      fillCache = fill;
      return this;
    }

    /** Sets the snapshot to read from; null for the newest state. */
    public Builder snapshot(@Nullable Snapshot snapshot) {
      this.snapshot = snapshot;
      return this;
    }

    /** Sets the smallest key that an iterator shows; null for none. */
    public Builder lowerBound(byte @Nullable [] inclusive) {
      lowerBound = inclusive == null ? null : inclusive.clone();
      return this;
    }

    /** Sets the key before which an iterator ends; null for none. */
    public Builder upperBound(byte @Nullable [] exclusive) {
      upperBound = exclusive == null ? null : exclusive.clone();
      return this;
    }

    /**
     * Sets the bytes that every key must begin with; null for none. Needs the bytewise comparator:
     * with another, the iterator's creation throws {@link IllegalArgumentException}.
     */
    public Builder prefix(byte @Nullable [] prefix) {
      this.prefix = prefix == null ? null : prefix.clone();
      return this;
    }

    /** Returns the options. */
    public ReadOptions build() {
      return new ReadOptions(this);
    }
  }

  @Override
  public String toString() {
    return "ReadOptions[verifyChecksums="
        + verifyChecksums
        + ", fillCache="
        + fillCache
        + ", snapshot="
        + Objects.toString(snapshot)
        + "]";
  }
}
