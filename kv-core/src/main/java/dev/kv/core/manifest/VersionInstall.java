package dev.kv.core.manifest;

import dev.kv.core.version.Version;
import dev.kv.core.version.VersionEdit;

/**
 * A version install: {@link #prepare}, the write of the MANIFEST, {@link #logged}, and {@link
 * #install}. No other install runs between the parts. The caller holds no lock; {@link #prepare}
 * and {@link #install} take the locks that they need, so that no other thread waits for the disk.
 */
@FunctionalInterface
public interface VersionInstall {
  /** Returns an install of an edit that is known before, with a step that publishes the version. */
  static VersionInstall of(VersionEdit edit, Runnable publish) {
    return new VersionInstall() {
      @Override
      public VersionEdit prepare(Version current) {
        return edit;
      }

      @Override
      public void install(Version next) {
        publish.run();
      }
    };
  }

  /** Returns the edit to apply to {@code current}, which stays current until {@link #install}. */
  VersionEdit prepare(Version current);

  /**
   * Called when the edit is durable, before the next version is current. If this throws, the next
   * version is not installed, and every later install fails.
   */
  default void logged() {}

  /** Publishes the next version, which is now current and durable. Must not throw. */
  default void install(Version next) {}
}
