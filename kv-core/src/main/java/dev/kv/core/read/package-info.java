/**
 * Reads of a consistent view.
 *
 * <p>{@link dev.kv.core.read.ReadStates} holds the current {@link dev.kv.core.read.ReadState},
 * which consists of the memtables and the version; readers pin it. {@link
 * dev.kv.core.read.SnapshotList} holds the sequence numbers of open snapshots. {@link
 * dev.kv.core.read.DatabaseReader} is the entry point: {@code PointReader} looks up one key, from
 * the newest data to the oldest, and {@code UserIterator} turns the internal entries of all sources
 * into the entries that a program sees. {@code OpenIterators} knows every iterator that is not
 * closed, and releases those that a program lost. {@code PinnedValueImpl} is a value that a program
 * holds beyond the lookup.
 *
 * <p>Called by the db package. May import memtable, table, version, iterator and what lies below
 * them.
 */
@NullMarked
package dev.kv.core.read;

import org.jspecify.annotations.NullMarked;
