package dev.kv.jmh.adapter;

import dev.kv.jmh.store.Store;
import dev.kv.jmh.store.StoreSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The stores that can be measured, by the names of {@code --store}. */
public enum StoreKind {
  /** kv. */
  KV(KvStore::open, "CURRENT", "a write that is not synced survives the death of the process"),
  /** C++ LevelDB through JNI. */
  LEVELDBJNI(
      LeveldbJniStore::open,
      "CURRENT",
      "a write that is not synced survives the death of the process; has no bloom filter, and"
          + " tables of 2 MiB whatever is asked for"),
  /** RocksDB. */
  ROCKSDB(
      RocksDbStore::open,
      "CURRENT",
      "a write that is not synced survives the death of the process"),
  /** LMDB. */
  LMDB(
      LmdbStore::open,
      "data.mdb",
      "a write that is not synced survives the death of the process; does not compress"),
  /** The older port of LevelDB to Java. */
  IQ80(
      Iq80Store::open,
      "CURRENT",
      "a write that is not synced survives the death of the process; has no bloom filter, and"
          + " tables of 2 MiB whatever is asked for"),
  /** H2's storage. */
  MVSTORE(
      MvStore::open,
      "data.mv",
      "a write that is not synced is in memory for up to a second; compresses with LZF"),
  /** JetBrains Xodus. */
  XODUS(
      XodusStore::open,
      ".xd",
      "a write that is not synced survives the death of the process; does not compress"),
  /** MapDB. */
  MAPDB(
      MapDbStore::open,
      "data.mapdb",
      "without a log: a database that is not closed is lost; does not compress");

  private final Opener opener;
  private final String file;
  private final String terms;

  StoreKind(Opener opener, String file, String terms) {
    this.opener = opener;
    this.file = file;
    this.terms = terms;
  }

  /**
   * Returns the store with a name.
   *
   * @throws IllegalArgumentException if there is none
   */
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

  /** Returns what a comparison with this store must take into account. */
  public String terms() {
    return terms;
  }

  /** Returns the end of the name of a file that each database of this store has. */
  public String file() {
    return file;
  }

  /** Returns true if {@code directory} has a database of this store. */
  public boolean hasDatabase(Path directory) {
    String[] names = directory.toFile().list();
    return names != null && Arrays.stream(names).anyMatch(name -> name.endsWith(file));
  }

  /** Opens the database in {@code directory}, and creates it if there is none. */
  public Store open(Path directory, StoreSettings settings) throws IOException {
    return opener.open(directory, settings);
  }

  /** Opens a database of one store. */
  private interface Opener {
    Store open(Path directory, StoreSettings settings) throws IOException;
  }
}
