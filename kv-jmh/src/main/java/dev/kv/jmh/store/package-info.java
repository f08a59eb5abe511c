/**
 * The stores that are measured. Each has an adapter to {@link dev.kv.jmh.store.Store}, which uses
 * the cheapest calls that its users have. Called by the benchmarks; imports nothing of the harness.
 */
@NullMarked
package dev.kv.jmh.store;

import org.jspecify.annotations.NullMarked;
