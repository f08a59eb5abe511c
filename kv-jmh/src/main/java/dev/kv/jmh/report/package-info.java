/**
 * What becomes of result files: a Markdown table with charts, the ratio to each peer, and LevelDB's
 * own published figures beside ours. Called from the command line; imports the results alone.
 */
@NullMarked
package dev.kv.jmh.report;

import org.jspecify.annotations.NullMarked;
