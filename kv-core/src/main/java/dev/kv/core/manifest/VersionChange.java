package dev.kv.core.manifest;

import dev.kv.core.version.Version;
import dev.kv.core.version.VersionEdit;

/**
 * A step from the current version to the next, in three parts: {@link #prepare}, the write of the
 * MANIFEST, and {@link #install}. No other step comes between the parts, and the caller's lock is
 * held by none of them unless they take it, so that nobody waits for the disk.
 */
@FunctionalInterface
public interface VersionChange {
  /** Returns the edit to apply to {@code current}, which stays current until {@link #install}. */
  VersionEdit prepare(Version current);

  /** Publishes the next version, which has just become current and is durable. Must not throw. */
  default void install(Version next) {}
}
