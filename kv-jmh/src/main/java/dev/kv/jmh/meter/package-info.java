/**
 * Measurements besides the time of operations: memory, a description of the machine, and flame
 * graphs.
 */
@NullMarked
package dev.kv.jmh.meter;

import org.jspecify.annotations.NullMarked;
