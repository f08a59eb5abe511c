package dev.kv.core.manifest;

import dev.kv.core.version.Version;
import dev.kv.core.version.VersionEdit;

/**
 * A version install in three parts: {@link #prepare}, the write of the MANIFEST, and {@link
 * #install}. No other install runs between the parts. The caller holds no lock; {@link #prepare}
 * and {@link #install} take the locks that they need, so that no other thread waits for the disk.
 */
@FunctionalInterface
public interface VersionInstall {
  /** Returns the edit to apply to {@code current}, which stays current until {@link #install}. */
  VersionEdit prepare(Version current);

  /** Publishes the next version, which is now current and durable. Must not throw. */
  default void install(Version next) {}
}
