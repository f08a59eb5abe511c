package dev.kv.core.env.memory;

import dev.kv.core.env.FileEnv;
import dev.kv.env.Env;
import dev.kv.env.EnvProvider;

/** Provides {@link FileEnv} and {@link MemEnv} to the API, by {@link java.util.ServiceLoader}. */
public final class EnvProviderImpl implements EnvProvider {
  private final Env fileSystem = new FileEnv();

  /** Creates the provider; called once, by the service loader. */
  public EnvProviderImpl() {}

  @Override
  public Env fileSystem() {
    return fileSystem;
  }

  @Override
  public Env newInMemory() {
    return new MemEnv();
  }
}
