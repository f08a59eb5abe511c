/**
 * Whether the tests notice when a safeguard of the engine is taken out: see {@code
 * src-docs/mutants.md}.
 */
@NullMarked
package dev.kv.core.mutation;

import org.jspecify.annotations.NullMarked;
