/**
 * The command {@code db_bench}: {@link dev.kv.jmh.bench.DbBenchCommand} reads the flags, {@link
 * dev.kv.jmh.bench.Tournament} lets the stores take turns over several rounds, {@link
 * dev.kv.jmh.bench.Sequence} is one store's turn, and {@link dev.kv.jmh.bench.PairTable} ends them
 * in a table of ratios.
 */
@NullMarked
package dev.kv.jmh.bench;

import org.jspecify.annotations.NullMarked;
