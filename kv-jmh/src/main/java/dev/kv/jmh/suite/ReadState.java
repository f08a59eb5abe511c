package dev.kv.jmh.suite;

import dev.kv.jmh.adapter.StoreKind;
import dev.kv.jmh.store.Store;
import dev.kv.jmh.store.StoreDirectory;
import dev.kv.jmh.store.StoreSettings;
import java.io.IOException;
import java.nio.file.Path;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The database for reads: every key once, written in random order, compacted. */
@State(Scope.Benchmark)
public class ReadState {
  /** The store. */
  @Param({"kv", "leveldbjni"})
  public String storeName = "";

  /** The number of entries. */
  @Param("1000000")
  public int entries;

  /** The capacity of the block cache in bytes. */
  @Param("8388608")
  public long cacheSize;

  /** The bits per key of the bloom filter, or -1 for none. */
  @Param("-1")
  public int bloomBits;

  /** How kv returns values. */
  @Param("ARRAY")
  public StoreSettings.ReadAccess access = StoreSettings.ReadAccess.ARRAY;

  private Path directory = Path.of("");
  private Store store = ClosedStore.INSTANCE;

  /** Fills the database. */
  @Setup(Level.Trial)
  public void fill() throws IOException {
    directory = Databases.newDirectory();
    StoreSettings settings =
        new StoreSettings(cacheSize, 0, 0, 0, 0, bloomBits, true, false, access, false, 1L << 30);
    store = StoreKind.of(storeName).open(directory, settings);
    Databases.putShuffled(store, entries);
    store.compact();
  }

  /** Deletes the database. */
  @TearDown(Level.Trial)
  public void remove() {
    store.close();
    store = ClosedStore.INSTANCE;
    StoreDirectory.delete(directory);
  }

  Store store() {
    return store;
  }
}
