/**
 * The internal cursor and its combinators.
 *
 * <p>Here: {@link dev.kv.core.iterator.ForwardIterator}, which a merge reads once from the first
 * entry to the last one; {@link dev.kv.core.iterator.InternalIterator}, which blocks, tables and
 * memtables implement over entries of internal keys, and which moves in both directions and seeks;
 * {@link dev.kv.core.iterator.MergingIterator}, which shows several of them as one; {@link
 * dev.kv.core.iterator.ConcatenatingIterator}, which shows disjoint ones in a row; and {@link
 * dev.kv.core.iterator.TombstoneSkipIndex}, the ranges of deleted keys that seeks skip.
 *
 * <p>Called by the read, write and compaction packages. May import key and what lies below it.
 */
@NullMarked
package dev.kv.core.iterator;

import org.jspecify.annotations.NullMarked;
