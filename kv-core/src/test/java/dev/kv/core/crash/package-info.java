/**
 * Crashes, faults and damage against a whole database: a seeded {@link dev.kv.core.crash.History}
 * of batches, and after whatever happened the question which prefix of it is there.
 */
@NullMarked
package dev.kv.core.crash;

import org.jspecify.annotations.NullMarked;
