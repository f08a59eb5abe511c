package dev.kv.core.table.cache;

/**
 * The options for reading blocks.
 *
 * @param verify true if a block's checksum is verified when it is loaded
 * @param fill true if a block that is loaded is kept for other reads: in the cache, or in its place
 *     in the mapping
 */
public record ReadFlags(boolean verify, boolean fill) {
  /** Verified and kept. */
  public static final ReadFlags DEFAULT = new ReadFlags(true, true);

  private static final ReadFlags UNCACHED = new ReadFlags(true, false);
  private static final ReadFlags UNVERIFIED = new ReadFlags(false, true);
  private static final ReadFlags NEITHER = new ReadFlags(false, false);

  /** Returns the flags without allocating. */
  public static ReadFlags of(boolean verify, boolean fill) {
    if (verify) {
      return fill ? DEFAULT : UNCACHED;
    }
    return fill ? UNVERIFIED : NEITHER;
  }

  /**
   * Returns true if a block that is loaded goes into the cache. Only a verified one does: everybody
   * reads what is there, and compactions write it again. A mapping needs no such rule, because it
   * verifies each block at the first visit.
   */
  public boolean fillsCache() {
    return verify && fill;
  }
}
