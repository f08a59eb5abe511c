/**
 * JMH benchmarks of whole stores: fills as single shots, each into a database of its own, and reads
 * in the steady state. The number of entries is the number of operations per invocation, so that
 * {@code -opi} changes both.
 */
@NullMarked
package dev.kv.jmh.suite;

import org.jspecify.annotations.NullMarked;
