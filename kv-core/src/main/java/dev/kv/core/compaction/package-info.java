/**
 * Flush and compaction: each job takes a version and produces a version edit.
 *
 * <p>{@link dev.kv.core.compaction.CompactionPicker} chooses tables of one level and those that
 * they overlap in the next level, given a version and the {@link
 * dev.kv.core.compaction.RunningJobs}; the result is a {@link dev.kv.core.compaction.Compaction}.
 * {@link dev.kv.core.compaction.CompactionJob} runs it: a {@link
 * dev.kv.core.compaction.CompactionIterator} returns the entries that survive, an {@link
 * dev.kv.core.compaction.OutputSplitter} decides when an output table ends. {@link
 * dev.kv.core.compaction.FlushJob} writes a memtable as a table.
 *
 * <p>Jobs know neither the database nor its lock. They get their inputs as values and functions,
 * and run without a lock. Called by state and by packages above it. May import everything below it.
 */
@NullMarked
package dev.kv.core.compaction;

import org.jspecify.annotations.NullMarked;
