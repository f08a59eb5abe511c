/**
 * The command {@code db_bench}: {@link dev.kv.jmh.bench.DbBenchCommand} reads the flags, {@link
 * dev.kv.jmh.bench.Tournament} runs the stores in turn over several rounds, {@link
 * dev.kv.jmh.bench.Sequence} is one turn of a store, and {@link dev.kv.jmh.bench.PairTable} is the
 * table of times and ratios at the end.
 */
@NullMarked
package dev.kv.jmh.bench;

import org.jspecify.annotations.NullMarked;
