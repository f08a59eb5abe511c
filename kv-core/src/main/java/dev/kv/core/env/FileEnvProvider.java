package dev.kv.core.env;

import dev.kv.env.Env;
import dev.kv.env.EnvProvider;

/** Provides {@link FileEnv} to the API, by {@link java.util.ServiceLoader}. */
public final class FileEnvProvider implements EnvProvider {
  private final Env fileSystem = new FileEnv();

  /** Creates the provider; called once, by the service loader. */
  public FileEnvProvider() {}

  @Override
  public Env fileSystem() {
    return fileSystem;
  }
}
