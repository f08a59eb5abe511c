/**
 * JMH benchmarks of the engine's parts, each alone and compared with alternatives. They help to
 * find the reason if a whole store is slower than it should be.
 */
@NullMarked
package dev.kv.jmh.part;

import org.jspecify.annotations.NullMarked;
