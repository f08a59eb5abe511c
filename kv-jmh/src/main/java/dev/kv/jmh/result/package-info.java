/**
 * What a run leaves behind: measurements and the machine they were taken on, written as a file of
 * JSON lines by the benchmarks and read again by the report. Imports nothing of the harness.
 */
@NullMarked
package dev.kv.jmh.result;

import org.jspecify.annotations.NullMarked;
