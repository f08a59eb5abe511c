/**
 * The results of a run: measurements and the machine, in a file of JSON lines that the benchmarks
 * write and the report reads. Imports nothing of the harness.
 */
@NullMarked
package dev.kv.jmh.result;

import org.jspecify.annotations.NullMarked;
