/**
 * Group commit: how writes reach the log and the memtable.
 *
 * <p>{@link dev.kv.core.write.CommitPipeline} takes writes from any thread. The thread that finds
 * no other at work leads: {@link dev.kv.core.write.WriteController} makes room for it; its
 * operations and those of the threads that wait become one {@code WriteGroup}, which is one record
 * of the log, and then go into the memtable; after that the sequence number of the group's last
 * operation is published to readers.
 *
 * <p>{@link dev.kv.core.write.WriteGate} says whether the database takes writes; all parts of an
 * open database share it. {@link dev.kv.core.write.StallInputs} holds what slows writers down.
 *
 * <p>Called by state, background and db; state implements {@link dev.kv.core.write.CommitTarget}.
 * May import memtable, batch, log and what lies below them.
 */
@NullMarked
package dev.kv.core.write;

import org.jspecify.annotations.NullMarked;
