/**
 * Environments for tests. {@link dev.kv.testing.StrictMemEnv} loses unsynced data in a simulated
 * crash. {@link dev.kv.testing.FaultEnv} fails chosen operations. {@link dev.kv.testing.WindowsEnv}
 * has Windows' rules for files that are in use. They use only the API, and are set with {@link
 * dev.kv.Options.Builder#env}. They pass the same contract test as the environments for disk and
 * memory.
 */
@NullMarked
package dev.kv.testing;

import org.jspecify.annotations.NullMarked;
