package dev.kv.env;

import java.util.ServiceLoader;

/**
 * Provides the engine's environment of the file system. The provider is found once through {@link
 * ServiceLoader}; programs call {@link Env#fileSystem} instead. Thread-safe.
 */
public interface EnvProvider {

  /**
   * Returns the provider on the class path or module path.
   *
   * @return the provider
   * @throws IllegalStateException if there is none
   */
  static EnvProvider instance() {
    return Provider.required();
  }

  /**
   * Returns the environment of the file system.
   *
   * @return the environment, always the same
   * @see Env#fileSystem
   */
  Env fileSystem();
}
