/**
 * JMH benchmarks of whole stores: fills as single shots, each of a new database, and reads in the
 * steady state. The number of entries is the number of operations per invocation, so {@code -opi}
 * changes both.
 */
@NullMarked
package dev.kv.jmh.suite;

import org.jspecify.annotations.NullMarked;
