package dev.kv.core.compaction;

import org.jspecify.annotations.Nullable;

/**
 * One step of a manual compaction.
 *
 * @param compaction the compaction to run, or null if there is nothing to do or {@code blocked}
 * @param blocked true if a running job conflicts; the caller tries again when one ends
 * @param nextBegin the user key at which the next step begins, or null if this is the last
 */
public record ManualPick(
    @Nullable Compaction compaction, boolean blocked, byte @Nullable [] nextBegin) {
  static final ManualPick NOTHING = new ManualPick(null, false, null);
  static final ManualPick BLOCKED = new ManualPick(null, true, null);
}
