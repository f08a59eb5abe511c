/**
 * Checks that a test fails if a safeguard of the engine is removed; see {@code
 * src-docs/mutants.md}.
 */
@NullMarked
package dev.kv.core.mutation;

import org.jspecify.annotations.NullMarked;
