/**
 * The products that are measured, each behind {@link dev.kv.jmh.store.Store} in its own adapter,
 * reached by the cheapest means that its users have. Called by the benchmarks; imports nothing of
 * the harness.
 */
@NullMarked
package dev.kv.jmh.store;

import org.jspecify.annotations.NullMarked;
