package dev.kv.jmh.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The products that can be measured, under the names that {@code --store} takes. */
public enum StoreKind {
  /** This project. */
  KV(KvStore::open, "a write that is not synced survives the death of the process"),
  /** C++ LevelDB through JNI. */
  LEVELDBJNI(LeveldbJniStore::open, "a write that is not synced survives the death of the process"),
  /** RocksDB. */
  ROCKSDB(RocksDbStore::open, "a write that is not synced survives the death of the process"),
  /** LMDB. */
  LMDB(
      LmdbStore::open,
      "a write that is not synced survives the death of the process; does not compress"),
  /** The port of LevelDB to Java that came before. */
  IQ80(Iq80Store::open, "a write that is not synced survives the death of the process"),
  /** H2's storage. */
  MVSTORE(
      MvStore::open,
      "a write that is not synced is in memory for up to a second; compresses with LZF"),
  /** JetBrains Xodus. */
  XODUS(
      XodusStore::open,
      "a write that is not synced survives the death of the process; does not compress"),
  /** MapDB. */
  MAPDB(
      MapDbStore::open,
      "without its log: a database that is not closed is lost; does not compress");

  private final Opener opener;
  private final String terms;

  StoreKind(Opener opener, String terms) {
    this.opener = opener;
    this.terms = terms;
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

  /** Returns what must be known where this product is compared with another. */
  public String terms() {
    return terms;
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
