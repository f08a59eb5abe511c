/**
 * What an open finds: the files of the directory, and the records of its logs.
 *
 * <p>{@link dev.kv.core.recovery.DirectoryCheck} takes LOCK and checks that the files are there.
 * {@link dev.kv.core.recovery.LogRecovery} replays logs into memtables; {@code LogDamage} decides,
 * by the recovery mode, what to do about damage. {@link dev.kv.core.recovery.RecoveredTables}
 * writes full memtables as tables of level 0.
 *
 * <p>Called by repair and db. May import state and what lies below it.
 */
@NullMarked
package dev.kv.core.recovery;

import org.jspecify.annotations.NullMarked;
