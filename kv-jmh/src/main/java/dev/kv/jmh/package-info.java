/**
 * The benchmarks of kv and of its peers: the entry point, which hands {@code db_bench} and {@code
 * report} to their commands and everything else to JMH.
 *
 * <p>{@link dev.kv.jmh.store} puts every product behind one interface, {@link dev.kv.jmh.bench} is
 * LevelDB's db_bench over it, {@link dev.kv.jmh.result} what a run leaves behind, {@link
 * dev.kv.jmh.report} makes tables and charts of that, {@link dev.kv.jmh.suite} holds the JMH
 * benchmarks of whole stores and {@link dev.kv.jmh.part} those of the engine's parts.
 */
@NullMarked
package dev.kv.jmh;

import org.jspecify.annotations.NullMarked;
