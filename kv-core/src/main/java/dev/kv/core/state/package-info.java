/**
 * The state that the parts of one open database share.
 *
 * <p>{@link dev.kv.core.state.DatabaseContext} holds its memory, caches and options. {@link
 * dev.kv.core.state.MemTables} holds the mutable memtable and the queue of immutable ones; it is
 * the target of the commit pipeline. {@code MemoryWait} waits for memory that flushes release.
 * {@link dev.kv.core.state.NewLogs} creates the log files, and {@link
 * dev.kv.core.state.WriteAheadLog} manages them until their close. {@link
 * dev.kv.core.state.Monitor} is the lock of this state. {@link dev.kv.core.state.ObsoleteFiles}
 * deletes the files that no version needs; {@link dev.kv.core.state.TableOutputs} keeps those that
 * a job is writing from deletion. {@link dev.kv.core.state.CompactionStats} counts the time and
 * bytes that jobs take. {@link dev.kv.core.state.DatabaseStats} makes the statistics and
 * properties; where their numbers come from is an interface, because a database that is open for
 * reading only has other ones.
 *
 * <p>Called by recovery, background, repair and db. May import every package below them. Nothing
 * here starts a thread, and no thread reads or writes a file while it holds {@code Monitor}.
 */
@NullMarked
package dev.kv.core.state;

import org.jspecify.annotations.NullMarked;
