package dev.kv.jmh.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The products that can be measured, under the names that {@code --store} takes. */
public enum StoreKind {
  /** This project. */
  KV(KvStore::open),
  /** C++ LevelDB through JNI. */
  LEVELDBJNI(LeveldbJniStore::open);

  private final Opener opener;

  StoreKind(Opener opener) {
    this.opener = opener;
  }

  /** Returns the product called {@code name}; IllegalArgumentException where there is none. */
  public static StoreKind of(String name) {
    for (StoreKind kind : values()) {
      if (kind.label().equals(name)) {
        return kind;
      }
    }
    throw new IllegalArgumentException(
        "no store is called '"
            + name
            + "'; there are "
            + Arrays.stream(values()).map(StoreKind::label).collect(Collectors.joining(", ")));
  }

  /** Returns the name. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Opens the database in {@code directory}, making one where there is none. */
  public Store open(Path directory, StoreSettings settings) throws IOException {
    return opener.open(directory, settings);
  }

  /** Opens a database of one product. */
  private interface Opener {
    Store open(Path directory, StoreSettings settings) throws IOException;
  }
}
