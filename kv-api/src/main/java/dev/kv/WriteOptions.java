package dev.kv;

/**
 * How a write is done. Immutable.
 *
 * @param sync true if the write must survive a loss of power once the call returns; false if it
 *     only has to survive the death of the process
 */
public record WriteOptions(boolean sync) {
  /** Without sync. */
  public static final WriteOptions DEFAULT = new WriteOptions(false);

  /** With sync. */
  public static final WriteOptions SYNC = new WriteOptions(true);
}
