/**
 * Changes of what the tables contain that do not pass the log and the memtable.
 *
 * <p>A {@link dev.kv.core.change.VersionMutation} describes one: the range of keys, the tables to
 * write, and the edit. {@link dev.kv.core.change.VersionMutator} makes it, atomically and durably,
 * and keeps the views of snapshots; it holds the rules that make such a change safe. {@link
 * dev.kv.core.change.RangeDelete} deletes a range of keys.
 *
 * <p>Called by db. May import background, state and what lies below them.
 */
@NullMarked
package dev.kv.core.change;

import org.jspecify.annotations.NullMarked;
