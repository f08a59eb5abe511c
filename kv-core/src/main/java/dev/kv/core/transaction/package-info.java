/**
 * Writes that depend on what the database contains.
 *
 * <p>{@link dev.kv.core.transaction.ConditionalWrites} applies a batch whose expectations hold. It
 * checks them against memtables and tables first; the leader of the write group checks only what
 * was written since, by an implementation of {@link dev.kv.core.write.CommitCondition}.
 *
 * <p>Called by db; imports read, write, batch and what lies below them.
 */
@NullMarked
package dev.kv.core.transaction;

import org.jspecify.annotations.NullMarked;
