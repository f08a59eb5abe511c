/**
 * The keys, values and random numbers of LevelDB's db_bench, the same in every run, and the sizes
 * that its benchmarks share.
 */
@NullMarked
package dev.kv.jmh.workload;

import org.jspecify.annotations.NullMarked;
