package dev.kv;

import java.nio.file.Path;
import java.util.ServiceLoader;

/**
 * The engine behind the API, found once through {@link ServiceLoader}. Programs use the static
 * methods of {@link DB}, {@link WriteBatch}, {@link BlockCache}, {@link FilterPolicy} and {@link
 * TableWriter} instead. Thread-safe.
 */
public interface DBFactory {

  /**
   * Returns the engine on the class or module path; {@link IllegalStateException} if there is none.
   */
  static DBFactory instance() {
    return Holder.FACTORY;
  }

  /** See {@link DB#open}. */
  DB open(Path directory, Options options);

  /** See {@link DB#destroy}. */
  void destroy(Path directory, Options options);

  /** See {@link DB#repair}. */
  RepairReport repair(Path directory, Options options);

  /** See {@link Dump#file}. */
  void dump(Path file, Options options, Dump.Sink sink);

  /** See {@link WriteBatch#create}. */
  WriteBatch newWriteBatch();

  /** See {@link BlockCache#create}. */
  BlockCache newBlockCache(long capacity);

  /** See {@link FilterPolicy#bloom}. */
  FilterPolicy newBloomFilter(int bitsPerKey);

  /** See {@link TableWriter#create}. */
  TableWriter newTableWriter(Path file, Options options);

  /** See {@link TableReader#open}. */
  TableReader openTable(Path file, Options options);

  /** Loads the engine when it is first asked for. */
  final class Holder {
    private static final DBFactory FACTORY =
        ServiceLoader.load(DBFactory.class, DBFactory.class.getClassLoader())
            .findFirst()
            .orElseThrow(
                () -> new IllegalStateException("no engine: add kv-core to the class path"));

    private Holder() {}
  }
}
