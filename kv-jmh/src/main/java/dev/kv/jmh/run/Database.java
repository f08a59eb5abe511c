package dev.kv.jmh.run;

import dev.kv.jmh.adapter.StoreKind;
import dev.kv.jmh.store.Store;
import dev.kv.jmh.store.StoreDirectory;
import dev.kv.jmh.store.StoreSettings;
import dev.kv.jmh.store.StoreStats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The database of one sequence. Benchmarks open, empty and reopen it. Only {@link #store} may be
 * called from several threads.
 */
public final class Database implements AutoCloseable {
  private final StoreKind kind;
  private final Path directory;
  private final StoreSettings settings;
  private @Nullable Store store;
  private StoreStats before = StoreStats.NONE;
  private long bytesPut;

  /** Creates the database; {@link #open} opens it. */
  public Database(StoreKind kind, Path directory, StoreSettings settings) {
    this.kind = kind;
    this.directory = directory;
    this.settings = settings;
  }

  /** Returns the open store. */
  public Store store() {
    if (store == null) {
      throw new IllegalStateException("the database is closed");
    }
    return store;
  }

  /** Opens the database with the content of its directory. */
  public void open() {
    try {
      Files.createDirectories(directory);
      store = kind.open(directory, settings);
      before = StoreStats.NONE;
      bytesPut = 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Closes and opens the database. */
  public void reopen() {
    close();
    open();
  }

  /** Deletes the database and opens an empty one. */
  public void recreate() {
    close();
    StoreDirectory.clear(directory);
    open();
  }

  /** Begins a benchmark: {@link #figures} counts from here, or from an open after it. */
  void begin() {
    before = store().figures();
    bytesPut = 0;
  }

  /** Returns the store's statistics since the begin of the benchmark. */
  StoreStats figures() {
    return store().figures().since(before);
  }

  /** Adds to the bytes of keys and values that were put since the begin of the benchmark. */
  void addBytesPut(long bytes) {
    bytesPut += bytes;
  }

  /** Returns the bytes written to tables per byte put, or -1 if unknown. */
  double writeAmplification(StoreStats figures) {
    return figures.tableBytesWritten() < 0 || bytesPut == 0
        ? -1
        : figures.tableBytesWritten() / (double) bytesPut;
  }

  /** Returns a text that changes while compactions run. */
  public String fingerprint() {
    return StoreDirectory.fingerprint(directory) + store().figures();
  }

  @Override
  public void close() {
    Store open = store;
    store = null;
    if (open != null) {
      open.close();
    }
  }
}
