/**
 * Writes that depend on what the database contains.
 *
 * <p>{@link dev.kv.core.transaction.Transactions} applies a batch whose expectations hold. It
 * checks them against memtables and tables first; the leader of the write group checks only what
 * was written since, by an implementation of {@link dev.kv.core.write.CommitCondition}.
 *
 * <p>It also begins optimistic transactions: a snapshot, a set of writes on top of it, and the keys
 * and ranges that the transaction depends on. The commit checks in the same two steps that none of
 * them has changed since the snapshot.
 *
 * <p>Called by db; imports read, write, batch and what lies below them.
 */
@NullMarked
package dev.kv.core.transaction;

import org.jspecify.annotations.NullMarked;
