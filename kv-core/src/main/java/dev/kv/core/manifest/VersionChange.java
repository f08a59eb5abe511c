package dev.kv.core.manifest;

import dev.kv.core.version.Version;
import dev.kv.core.version.VersionEdit;

/**
 * A step from the current version to the next, in three parts: {@link #prepare}, the write of the
 * MANIFEST, and {@link #install}. No other step runs between the parts. They run without the
 * caller's lock, unless they take it, so that no other thread waits for the disk.
 */
@FunctionalInterface
public interface VersionChange {
  /** Returns the edit to apply to {@code current}, which stays current until {@link #install}. */
  VersionEdit prepare(Version current);

  /** Publishes the next version, which is now current and durable. Must not throw. */
  default void install(Version next) {}
}
