/**
 * Reads of a consistent view. {@link dev.kv.core.read.DatabaseReader} is the entry point.
 *
 * <p>What is read: {@link dev.kv.core.read.ReadStates} holds the current {@link
 * dev.kv.core.read.ReadState}, which consists of the memtables and the version; readers pin it.
 * {@link dev.kv.core.read.SnapshotList} holds the sequence numbers of open snapshots.
 *
 * <p>One key: {@code PointReader} looks it up, from the newest data to the oldest, with the
 * reusable objects of a {@code ReadContext}. {@code PinnedValueImpl} is a value that a program
 * holds beyond the lookup.
 *
 * <p>Many keys: {@code DBIteratorImpl} is the program's iterator. Its {@code DBIter} turns the
 * internal entries of all sources into the entries that a program sees, and {@code EntryScan} does
 * it for a whole scan. {@code PinnedView} has what an open iterator keeps, and {@code
 * OpenIterators} knows every one that is not closed, and releases those that a program lost.
 *
 * <p>The conditions of writes: {@link dev.kv.core.read.ValidationView} is the view in which a
 * transaction checks its keys, and {@link dev.kv.core.read.RecentMemTables} has the writes since
 * then.
 *
 * <p>Called by the db package and by what it is built of. May import memtable, table, version,
 * iterator and what lies below them.
 */
@NullMarked
package dev.kv.core.read;

import org.jspecify.annotations.NullMarked;
