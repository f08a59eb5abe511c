/**
 * Tests the decoders of bytes from disk with arbitrary bytes. {@link dev.kv.core.fuzz.FuzzTargets}
 * has a target for each decoder. {@link dev.kv.core.fuzz.FuzzIT} runs them over the corpus, {@link
 * dev.kv.core.fuzz.MutationFuzzIT} over random mutations of it, and {@link
 * dev.kv.core.fuzz.LongFuzzIT} under Jazzer, which is guided by coverage.
 */
@NullMarked
package dev.kv.core.fuzz;

import org.jspecify.annotations.NullMarked;
