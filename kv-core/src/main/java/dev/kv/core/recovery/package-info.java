/**
 * Recovery at the open: checks the files of the directory and replays the logs.
 *
 * <p>{@link dev.kv.core.recovery.DirectoryCheck} takes LOCK and checks that the files exist. {@link
 * dev.kv.core.recovery.LogRecovery} replays logs into memtables; {@code LogDamage} decides by the
 * recovery mode how to handle damage, {@link dev.kv.core.recovery.LostEditProof} tells whether the
 * MANIFEST has lost its end, and {@code LateRecords} whether a writer has added records to a place
 * that was read before. {@code RecoveredTables} writes full memtables as tables of level 0. {@link
 * dev.kv.core.recovery.LostFiles} moves files aside.
 *
 * <p>Called by repair and db. May import state and what lies below it.
 */
@NullMarked
package dev.kv.core.recovery;

import org.jspecify.annotations.NullMarked;
