/**
 * Reports on result files: {@link dev.kv.jmh.report.BenchmarkReport} writes Markdown tables, with
 * the ratio to each peer and LevelDB's published figures, and {@link dev.kv.jmh.report.Charts}
 * draws charts. Called from the command line; imports only the results.
 */
@NullMarked
package dev.kv.jmh.report;

import org.jspecify.annotations.NullMarked;
