package dev.kv.env;

import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** The provider of the environment, which is looked for at the first use of this class. */
final class Provider {
  private static final @Nullable EnvProvider FOUND =
      ServiceLoader.load(EnvProvider.class, EnvProvider.class.getClassLoader())
          .findFirst()
          .orElse(null);

  private Provider() {}

  static EnvProvider required() {
    if (FOUND == null) {
      throw new IllegalStateException("no engine: add kv-core to the class path");
    }
    return FOUND;
  }
}
