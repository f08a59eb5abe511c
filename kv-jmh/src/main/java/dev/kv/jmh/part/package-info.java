/**
 * JMH benchmarks of the engine's parts, each alone, beside what could stand in its place: the
 * places to look when a whole store is slower than it should be.
 */
@NullMarked
package dev.kv.jmh.part;

import org.jspecify.annotations.NullMarked;
