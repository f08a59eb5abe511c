package dev.kv;

import dev.kv.bytes.Escape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a read is done. Immutable and thread-safe; made by {@link #builder()}. The builder copies its
 * arrays, and getters return copies.
 *
 * <p>Bounds, prefix and {@link #descending()} are for scans: a lookup of one key with any of them
 * is refused with {@link IllegalArgumentException}, see {@link #isScanOnly()}.
 */
public final class ReadOptions {
  /** Reads of the newest state, with checksums verified and the cache filled, without bounds. */
  public static final ReadOptions DEFAULT = builder().build();

  /**
   * For a scan of much data that is read once: blocks that it reads from files do not go into the
   * cache, where they would take the place of others. See {@link #fillCache()}.
   */
  public static final ReadOptions UNCACHED = builder().fillCache(false).build();

  /** For reads of keys without their values; see {@link #keysOnly()}. */
  public static final ReadOptions KEYS = builder().keysOnly(true).build();

  private final boolean verifyChecksums;
  private final boolean fillCache;
  private final boolean descending;
  private final boolean keysOnly;
  private final @Nullable Snapshot snapshot;
  private final byte @Nullable [] lowerBound;
  private final byte @Nullable [] upperBound;
  private final byte @Nullable [] prefix;
  private final boolean scanOnly;

  private ReadOptions(Builder builder) {
    verifyChecksums = builder.verifyChecksums;
    fillCache = builder.fillCache;
    descending = builder.descending;
    keysOnly = builder.keysOnly;
    snapshot = builder.snapshot;
    lowerBound = builder.lowerBound;
    upperBound = builder.upperBound;
    prefix = builder.prefix;
    scanOnly = descending || lowerBound != null || upperBound != null || prefix != null;
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
   * Returns options that read from a snapshot, and are the defaults otherwise.
   *
   * @param snapshot the snapshot, which must stay open during the read
   * @return the options
   */
  public static ReadOptions at(Snapshot snapshot) {
    return builder().snapshot(Objects.requireNonNull(snapshot, "snapshot")).build();
  }

  /**
   * Returns options that scan the keys with a prefix, and are the defaults otherwise.
   *
   * @param prefix the first bytes of every key; copied
   * @return the options
   */
  public static ReadOptions withPrefix(byte[] prefix) {
    return builder().prefix(Objects.requireNonNull(prefix, "prefix")).build();
  }

  /**
   * Returns a builder whose values are those of these options.
   *
   * @return a new builder
   */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.verifyChecksums = verifyChecksums;
    builder.fillCache = fillCache;
    builder.descending = descending;
    builder.keysOnly = keysOnly;
    builder.snapshot = snapshot;
    builder.lowerBound = lowerBound;
    builder.upperBound = upperBound;
    builder.prefix = prefix;
    return builder;
  }

  /**
   * Returns true if the checksum of a block is verified when the block is loaded. Default: true;
   * C++ LevelDB's is false. A block that is loaded without verification is not put into the cache,
   * whatever {@link #fillCache()} says, because other reads and compactions rely on what is there.
   *
   * @return true if checksums are verified
   */
  public boolean verifyChecksums() {
    return verifyChecksums;
  }

  /**
   * Returns true if blocks that are read go into the cache. False suits a scan of much data that is
   * read once. Default: true.
   *
   * @return true if the cache is filled
   */
  public boolean fillCache() {
    return fillCache;
  }

  /**
   * Returns true if {@link DB#entries(ReadOptions)}, {@link DB#stream(ReadOptions)} and {@link
   * DB#forEach} go from the last key to the first. A cursor ({@link DB#iterator(ReadOptions)})
   * moves in both directions and refuses this option. The meaning of the bounds does not change.
   * Default: false.
   *
   * @return true if the order is descending
   */
  public boolean descending() {
    return descending;
  }

  /**
   * Returns true if values are not read: every value is empty. A scan then copies no values, and a
   * lookup only tells whether the key exists. Default: false.
   *
   * @return true if all values are empty
   */
  public boolean keysOnly() {
    return keysOnly;
  }

  /**
   * Returns the snapshot that is read. Default: null, which means the newest state.
   *
   * @return the snapshot, or null if there is none
   */
  public @Nullable Snapshot snapshot() {
    return snapshot;
  }

  /**
   * Returns the smallest key of a scan, inclusive. Default: null, which means no bound.
   *
   * @return a copy of the key, or null if there is none
   */
  public byte @Nullable [] lowerBound() {
    return lowerBound == null ? null : lowerBound.clone();
  }

  /**
   * Returns the end of a scan, exclusive. Default: null, which means no bound.
   *
   * @return a copy of the key, or null if there is none
   */
  public byte @Nullable [] upperBound() {
    return upperBound == null ? null : upperBound.clone();
  }

  /**
   * Returns the first bytes of every key of a scan. It needs the bytewise comparator: a scan with
   * another one throws {@link IllegalArgumentException}. Default: null, which means all keys.
   *
   * @return a copy of the prefix, or null if there is none
   */
  public byte @Nullable [] prefix() {
    return prefix == null ? null : prefix.clone();
  }

  /**
   * Returns true if these options are for scans: a bound, a prefix or {@link #descending()} is set.
   * A lookup of one key refuses such options.
   *
   * @return true if only a scan takes these options
   */
  public boolean isScanOnly() {
    return scanOnly;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ReadOptions options
        && verifyChecksums == options.verifyChecksums
        && fillCache == options.fillCache
        && descending == options.descending
        && keysOnly == options.keysOnly
        && Objects.equals(snapshot, options.snapshot)
        && Arrays.equals(lowerBound, options.lowerBound)
        && Arrays.equals(upperBound, options.upperBound)
        && Arrays.equals(prefix, options.prefix);
  }

  @Override
  public int hashCode() {
    return Objects.hash(
        verifyChecksums,
        fillCache,
        descending,
        keysOnly,
        snapshot,
        Arrays.hashCode(lowerBound),
        Arrays.hashCode(upperBound),
        Arrays.hashCode(prefix));
  }

  /** Returns the options that differ from the defaults, for logs; of a long key, its head. */
  @Override
  public String toString() {
    List<String> parts = new ArrayList<>();
    if (!verifyChecksums) {
      parts.add("verifyChecksums=false");
    }
    if (!fillCache) {
      parts.add("fillCache=false");
    }
    if (descending) {
      parts.add("descending=true");
    }
    if (keysOnly) {
      parts.add("keysOnly=true");
    }
    if (snapshot != null) {
      parts.add("snapshot=" + snapshot);
    }
    addKey(parts, "lowerBound", lowerBound);
    addKey(parts, "upperBound", upperBound);
    addKey(parts, "prefix", prefix);
    return "ReadOptions" + parts;
  }

  private static void addKey(List<String> parts, String name, byte @Nullable [] key) {
    if (key != null) {
      parts.add(name + "='" + Escape.shown(key) + "'");
    }
  }

  /** Builds {@link ReadOptions}. Not thread-safe. */
  public static final class Builder {
    private boolean verifyChecksums = true;
    private boolean fillCache = true;
    private boolean descending;
    private boolean keysOnly;
    private @Nullable Snapshot snapshot;
    private byte @Nullable [] lowerBound;
    private byte @Nullable [] upperBound;
    private byte @Nullable [] prefix;

    private Builder() {}

    /**
     * Sets {@link ReadOptions#verifyChecksums()}.
     *
     * @param verifyChecksums whether to verify checksums
     * @return this builder
     */
    public Builder verifyChecksums(boolean verifyChecksums) {
      this.verifyChecksums = verifyChecksums;
      return this;
    }

    /**
     * Sets {@link ReadOptions#fillCache()}.
     *
     * @param fillCache whether blocks go into the cache
     * @return this builder
     */
    public Builder fillCache(boolean fillCache) {
      this.fillCache = fillCache;
      return this;
    }

    /**
     * Sets {@link ReadOptions#descending()}.
     *
     * @param descending whether to go from the last key to the first
     * @return this builder
     */
    public Builder descending(boolean descending) {
      this.descending = descending;
      return this;
    }

    /**
     * Sets {@link ReadOptions#keysOnly()}.
     *
     * @param keysOnly whether all values are empty
     * @return this builder
     */
    public Builder keysOnly(boolean keysOnly) {
      this.keysOnly = keysOnly;
      return this;
    }

    /**
     * Sets {@link ReadOptions#snapshot()}.
     *
     * @param snapshot the snapshot, or null for the newest state
     * @return this builder
     */
    public Builder snapshot(@Nullable Snapshot snapshot) {
      this.snapshot = snapshot;
      return this;
    }

    /**
     * Sets {@link ReadOptions#lowerBound()}.
     *
     * @param inclusive the smallest key, or null for no bound; copied
     * @return this builder
     */
    public Builder lowerBound(byte @Nullable [] inclusive) {
      lowerBound = inclusive == null ? null : inclusive.clone();
      return this;
    }

    /**
     * Sets {@link ReadOptions#upperBound()}.
     *
     * @param exclusive the end, or null for no bound; copied
     * @return this builder
     */
    public Builder upperBound(byte @Nullable [] exclusive) {
      upperBound = exclusive == null ? null : exclusive.clone();
      return this;
    }

    /**
     * Sets {@link ReadOptions#prefix()}.
     *
     * @param prefix the first bytes of every key, or null for all keys; copied
     * @return this builder
     */
    public Builder prefix(byte @Nullable [] prefix) {
      this.prefix = prefix == null ? null : prefix.clone();
      return this;
    }

    /**
     * Builds the options.
     *
     * @return options with the values of this builder, which may be used further
     */
    public ReadOptions build() {
      return new ReadOptions(this);
    }
  }
}
