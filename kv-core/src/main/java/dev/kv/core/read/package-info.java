/**
 * Reads of a consistent view.
 *
 * <p>{@link dev.kv.core.read.ReadStates} holds the {@link dev.kv.core.read.ReadState} of the
 * moment, memtables and version, which readers pin; {@link dev.kv.core.read.SnapshotList} the
 * sequence numbers that are to stay readable. {@link dev.kv.core.read.DatabaseReader} puts both
 * together: {@code PointReader} looks a key up, newest data first, and {@code UserIterator} turns
 * the internal entries of all sources into the ones that a program sees. {@code OpenIterators}
 * knows every iterator that is not closed, and releases those that a program lost.
 *
 * <p>Called by the db package. May import memtable, table, version, iterator and what lies below
 * them.
 */
@NullMarked
package dev.kv.core.read;

import org.jspecify.annotations.NullMarked;
