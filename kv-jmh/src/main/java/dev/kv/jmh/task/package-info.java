/**
 * LevelDB's db_bench on any {@link dev.kv.jmh.store.Store}. {@link dev.kv.jmh.task.Catalogue} has
 * the {@link dev.kv.jmh.task.Plan} of each name. {@link dev.kv.jmh.task.BenchmarkRun} runs it on
 * threads, each with a {@link dev.kv.jmh.task.Task}.
 */
@NullMarked
package dev.kv.jmh.task;

import org.jspecify.annotations.NullMarked;
