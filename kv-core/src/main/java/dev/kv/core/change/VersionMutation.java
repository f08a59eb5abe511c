package dev.kv.core.change;

import dev.kv.core.compaction.OutputContext;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionEdit;

/**
 * A change of the tree of tables that does not pass the log: some tables are added, some removed.
 * {@link VersionMutator#make} makes it, and calls the methods in the order in which they stand
 * here, on one thread.
 *
 * <p>Two rules for the tables: 1. every entry that is added has the sequence number that {@link
 * #prepare} is given, or belongs to keys of which the database holds no entry at all, tombstones
 * included; 2. the user keys of all tables added and removed are in {@link #range}.
 */
public interface VersionMutation {
  /** Returns what the change is, for messages, such as "a range delete". */
  String name();

  /**
   * Returns the user keys that may be affected. While the change is made, no compaction works in
   * the range, in any level.
   */
  KeyBounds range();

  /**
   * Returns false if there is nothing to change. In this case no number is taken and nothing is
   * written.
   *
   * @param version the current version. No memtable holds a key of the range, and the tables of the
   *     range stay as they are until the install; borrowed
   */
  default boolean isNeeded(Version version) {
    return true;
  }

  /**
   * Writes the tables, and returns the edit that adds them and removes others. All writes of the
   * database wait until the install. A flush that runs meanwhile may add a table to level 0 whose
   * range of keys overlaps this one, but it holds no key of it.
   *
   * <p>The numbers that {@code outputs} gives are higher than those of all tables that hold older
   * entries of the range, and lower than those of all later flushes: in level 0, the tables of this
   * change are found in the right order.
   *
   * <p>If this throws, nothing has changed, the tables that {@code outputs} gave numbers for are
   * deleted, and the exception is passed on.
   *
   * @param version the version of {@link #isNeeded}; borrowed
   * @param sequence the number of the entries to add; newer than every entry of the database
   * @param outputs for the writing of tables; every table must be synced and closed
   * @return the edit; it must not set log numbers, the next file number or the last sequence
   */
  VersionEdit prepare(Version version, long sequence, OutputContext outputs);

  /**
   * Called when the change is durable and visible, for statistics and log messages. Must be quick;
   * a failure is only logged.
   */
  default void installed() {}
}
