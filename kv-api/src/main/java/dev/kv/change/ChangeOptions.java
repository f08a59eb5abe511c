package dev.kv.change;

/**
 * What {@link ChangeFeed#open(ChangeOptions, ChangePosition)} delivers.
 *
 * @param unsynced if true, a group is delivered as soon as readers see it. If false, it is
 *     delivered when it is durable: after the next write with {@link dev.kv.WriteOptions#sync}, or
 *     when its memtable is flushed. A follower that reads unsynced groups may have writes that the
 *     database loses with the power; then its position is refused with {@link
 *     dev.kv.errors.ChangesLostException}
 */
public record ChangeOptions(boolean unsynced) {
  /** Delivers durable groups only. */
  public static final ChangeOptions DEFAULT = new ChangeOptions(false);

  /** Delivers every group as soon as readers see it. */
  public static final ChangeOptions UNSYNCED = new ChangeOptions(true);
}
