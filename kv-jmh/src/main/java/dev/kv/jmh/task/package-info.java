/**
 * LevelDB's db_bench over any {@link dev.kv.jmh.store.Store}: {@link dev.kv.jmh.task.Catalogue}
 * knows which {@link dev.kv.jmh.task.Plan} each name means, and {@link
 * dev.kv.jmh.task.BenchmarkRun} has it done by threads, each of which runs a {@link
 * dev.kv.jmh.task.Task}.
 */
@NullMarked
package dev.kv.jmh.task;

import org.jspecify.annotations.NullMarked;
