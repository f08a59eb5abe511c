/**
 * What a benchmark asks of a store: to open it, to write, to read and to scan, and how its answers
 * are counted. {@link dev.kv.jmh.adapter} has the stores themselves. Imports nothing of the
 * harness.
 */
@NullMarked
package dev.kv.jmh.store;

import org.jspecify.annotations.NullMarked;
