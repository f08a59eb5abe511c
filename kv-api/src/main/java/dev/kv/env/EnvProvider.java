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
    return Holder.PROVIDER;
  }

  /**
   * Returns the environment of the file system.
   *
   * @return the environment, always the same
   * @see Env#fileSystem
   */
  Env fileSystem();

  /** Loads the provider at its first use. */
  final class Holder {
    private static final EnvProvider PROVIDER =
        ServiceLoader.load(EnvProvider.class, EnvProvider.class.getClassLoader())
            .findFirst()
            .orElseThrow(
                () -> new IllegalStateException("no engine: add kv-core to the class path"));

    private Holder() {}
  }
}
