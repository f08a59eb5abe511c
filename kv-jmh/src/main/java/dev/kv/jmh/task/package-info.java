/**
 * LevelDB's db_bench on any {@link dev.kv.jmh.store.Store}: what its benchmarks do. {@link
 * dev.kv.jmh.task.Catalogue} has the {@link dev.kv.jmh.run.Plan} of each name, and a class of this
 * package is the {@link dev.kv.jmh.run.Task} of its threads.
 */
@NullMarked
package dev.kv.jmh.task;

import org.jspecify.annotations.NullMarked;
