package dev.kv;

/**
 * How a write is done.
 *
 * @param sync true: the write survives loss of power once it returns; false: it survives the death
 *     of the process
 */
public record WriteOptions(boolean sync) {
  /** Not synced. */
  public static final WriteOptions DEFAULT = new WriteOptions(false);

  /** Synced. */
  public static final WriteOptions SYNC = new WriteOptions(true);
}
