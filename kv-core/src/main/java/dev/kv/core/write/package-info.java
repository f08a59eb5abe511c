/**
 * Group commit: how writes reach the log and the memtable.
 *
 * <p>{@link dev.kv.core.write.CommitPipeline} takes writes from any thread. If no other thread is
 * writing, the calling thread becomes the leader. {@link dev.kv.core.write.WriteController} makes
 * room in the memtable. The operations of the leader and of its {@code Followers} form one {@code
 * WriteGroup}, which is one record of the log and is then inserted into the memtable. Finally the
 * sequence number of the group's last operation is published to readers. A thread that waits is a
 * {@code PendingWrite}, and learns a {@link dev.kv.core.write.WriteOutcome}.
 *
 * <p>{@link dev.kv.core.write.ExclusiveWriter} is for what must not run beside a write: taking a
 * sequence number for content that does not pass the log, switching the memtable, reading the
 * lengths of the logs.
 *
 * <p>{@link dev.kv.core.write.ErrorHandler} says whether the database takes writes; all parts of an
 * open database share it. {@link dev.kv.core.write.StallInputs} holds the values that decide about
 * write stalls.
 *
 * <p>Called by state, background and db; state implements {@link dev.kv.core.write.CommitTarget}.
 * May import memtable, batch, log and what lies below them.
 */
@NullMarked
package dev.kv.core.write;

import org.jspecify.annotations.NullMarked;
