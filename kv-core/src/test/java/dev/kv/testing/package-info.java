/**
 * Environments to test with: {@link dev.kv.testing.StrictMemEnv} loses what was not synced, {@link
 * dev.kv.testing.FaultEnv} fails the operation that it is told to. Both stand on the API alone, are
 * given to a database as {@link dev.kv.Options.Builder#env}, and pass the contract test that the
 * environments of the file system and of memory pass.
 */
@NullMarked
package dev.kv.testing;

import org.jspecify.annotations.NullMarked;
