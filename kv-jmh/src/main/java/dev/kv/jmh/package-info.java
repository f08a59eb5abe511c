/**
 * The benchmarks of kv and of its peers: the entry point, which hands {@code db_bench} and {@code
 * report} to their commands and everything else to JMH.
 *
 * <p>{@link dev.kv.jmh.store} puts every product behind one interface, {@link dev.kv.jmh.workload}
 * makes the keys and values, {@link dev.kv.jmh.task} is LevelDB's db_bench over both, with {@link
 * dev.kv.jmh.meter} for what it takes besides time, and {@link dev.kv.jmh.bench} its command;
 * {@link dev.kv.jmh.result} is what a run leaves behind, and {@link dev.kv.jmh.report} makes tables
 * and charts of that; {@link dev.kv.jmh.suite} holds the JMH benchmarks of whole stores and {@link
 * dev.kv.jmh.part} those of the engine's parts.
 */
@NullMarked
package dev.kv.jmh;

import org.jspecify.annotations.NullMarked;
