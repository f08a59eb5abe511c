/**
 * How a benchmark of db_bench runs. {@link dev.kv.jmh.run.BenchmarkRun} runs a {@link
 * dev.kv.jmh.run.Plan} on threads. Each {@link dev.kv.jmh.run.BenchThread} runs the {@link
 * dev.kv.jmh.run.Task} of the plan on the {@link dev.kv.jmh.run.Database} of the sequence, and
 * measures it.
 */
@NullMarked
package dev.kv.jmh.run;

import org.jspecify.annotations.NullMarked;
