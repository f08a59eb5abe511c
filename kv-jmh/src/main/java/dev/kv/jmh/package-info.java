/**
 * The benchmarks of kv and its peers. The entry point passes {@code db_bench} and {@code report} to
 * their commands and everything else to JMH.
 *
 * <p>{@link dev.kv.jmh.store} has one interface for every store, {@link dev.kv.jmh.adapter} the
 * stores, {@link dev.kv.jmh.transfer} an interface for stores with transactions, and {@link
 * dev.kv.jmh.workload} generates keys and values. {@link dev.kv.jmh.task} is LevelDB's db_bench on
 * both, {@link dev.kv.jmh.run} runs it on threads, {@link dev.kv.jmh.meter} measures memory and the
 * machine, and {@link dev.kv.jmh.bench} is the command. {@link dev.kv.jmh.result} holds and stores
 * the results of a run; {@link dev.kv.jmh.report} makes tables and charts of them. {@link
 * dev.kv.jmh.suite} has the JMH benchmarks of whole stores, and {@link dev.kv.jmh.part} those of
 * the engine's parts.
 */
@NullMarked
package dev.kv.jmh;

import org.jspecify.annotations.NullMarked;
