package dev.kv.core.table.cache;

/**
 * The options for reading blocks. {@link #of} never gives the one that fills the cache without
 * verifying: everybody reads what is in the cache, and compactions write it again.
 *
 * @param verify true if a block's checksum is verified when it is loaded
 * @param fill true if a block that is loaded is put into the cache
 */
public record ReadFlags(boolean verify, boolean fill) {
  /** Verified and cached. */
  public static final ReadFlags DEFAULT = new ReadFlags(true, true);

  private static final ReadFlags UNCACHED = new ReadFlags(true, false);
  private static final ReadFlags UNVERIFIED = new ReadFlags(false, false);

  /**
   * Returns the flags without allocating.
   *
   * @param fill has no effect without {@code verify}
   */
  public static ReadFlags of(boolean verify, boolean fill) {
    if (verify) {
      return fill ? DEFAULT : UNCACHED;
    }
    return UNVERIFIED;
  }
}
