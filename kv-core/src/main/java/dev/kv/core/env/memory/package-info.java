/**
 * The environment in memory: {@link dev.kv.core.env.memory.MemEnv} has a tree of {@code MemFile}s,
 * and {@code MemHandles} are the open files. {@link dev.kv.core.env.memory.EnvProviderImpl} gives
 * the API this environment and that of the file system.
 *
 * <p>It imports {@code env}. Checkpoints use it to write files that are copied later; everything
 * else reaches it through {@link dev.kv.env.Env}.
 */
@NullMarked
package dev.kv.core.env.memory;

import org.jspecify.annotations.NullMarked;
