/**
 * Flush and compaction: a version in, a version edit out.
 *
 * <p>{@link dev.kv.core.compaction.CompactionPicker} chooses tables of one level and those below
 * them, given a version and the {@link dev.kv.core.compaction.RunningJobs}; the outcome is a {@link
 * dev.kv.core.compaction.Compaction}. {@link dev.kv.core.compaction.CompactionJob} runs it: a
 * {@link dev.kv.core.compaction.CompactionIterator} returns what survives, an {@link
 * dev.kv.core.compaction.OutputSplitter} decides where a table ends. {@link
 * dev.kv.core.compaction.FlushJob} writes a memtable as a table.
 *
 * <p>Jobs know neither the database nor its lock: what they need comes in as values and functions,
 * and they run without any lock held. Called by the db package. May import everything below it.
 */
@NullMarked
package dev.kv.core.compaction;

import org.jspecify.annotations.NullMarked;
