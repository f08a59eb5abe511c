package dev.kv;

import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** The engine, which is looked for at the first use of this class. */
final class Engine {
  private static final @Nullable DBFactory FOUND =
      ServiceLoader.load(DBFactory.class, DBFactory.class.getClassLoader())
          .findFirst()
          .orElse(null);

  private Engine() {}

  static DBFactory required() {
    if (FOUND == null) {
      throw new IllegalStateException("no engine: add kv-core to the class path");
    }
    return FOUND;
  }
}
