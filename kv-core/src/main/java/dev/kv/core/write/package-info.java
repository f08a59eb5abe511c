/**
 * Group commit: how writes reach the log and the memtable.
 *
 * <p>{@link dev.kv.core.write.CommitPipeline} takes writes from any thread. The thread that finds
 * no other at work leads: {@link dev.kv.core.write.WriteController} makes room for it, its
 * operations and those of the threads that wait become one {@code WriteGroup}, which is one record
 * of the log, and then go into the memtable; at last the sequence number of the group's last
 * operation is published to readers.
 *
 * <p>Called by the db package, which stands behind {@link dev.kv.core.write.CommitTarget}. May
 * import memtable, batch, log and what lies below them.
 */
@NullMarked
package dev.kv.core.write;

import org.jspecify.annotations.NullMarked;
