/**
 * LevelDB's db_bench over any {@link dev.kv.jmh.store.Store}: its names, flags, keys, values and
 * lines, and runs of several stores in turns that end in a table of ratios.
 *
 * <p>{@link dev.kv.jmh.bench.DbBenchCommand} reads the flags, {@link dev.kv.jmh.bench.Tournament}
 * lets the stores take turns, {@link dev.kv.jmh.bench.Sequence} is one store's turn, {@link
 * dev.kv.jmh.bench.Catalogue} knows what each name means, {@link dev.kv.jmh.bench.BenchmarkRun} runs
 * one of them on its threads, and a {@link dev.kv.jmh.bench.Task} is what a thread does.
 */
@NullMarked
package dev.kv.jmh.bench;

import org.jspecify.annotations.NullMarked;
