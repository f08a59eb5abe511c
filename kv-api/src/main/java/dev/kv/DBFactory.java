package dev.kv;

import java.nio.file.Path;
import java.util.ServiceLoader;

/**
 * The engine of the API, which {@link ServiceLoader} finds once. Programs use the static methods of
 * {@link DB}, {@link WriteBatch}, {@link SharedResources}, {@link FilterPolicy}, {@link
 * TableWriter}, {@link TableReader} and {@link Dump} instead. Thread-safe.
 */
public interface DBFactory {

  /**
   * Returns the engine on the class path or module path.
   *
   * @return the engine, always the same object
   * @throws IllegalStateException if there is none
   */
  static DBFactory instance() {
    return Holder.FACTORY;
  }

  /**
   * Opens a database.
   *
   * @param directory the directory of the database
   * @param options how to open it
   * @return the open database, which the caller closes
   * @see DB#open
   */
  DB open(Path directory, Options options);

  /**
   * Opens a database for reads only.
   *
   * @param directory the directory of the database
   * @param options how to open it
   * @return the open database, which the caller closes
   * @see DB#openReadOnly
   */
  ReadOnlyDB openReadOnly(Path directory, Options options);

  /**
   * Deletes a database.
   *
   * @param directory the directory of the database
   * @param options the options; only the environment is used
   * @see DB#destroy
   */
  void destroy(Path directory, Options options);

  /**
   * Repairs a database.
   *
   * @param directory the directory of the database
   * @param options the options that the database is opened with
   * @return what was found and done
   * @see DB#repair
   */
  RepairReport repair(Path directory, Options options);

  /**
   * Prints the content of a file of a database.
   *
   * @param file the file
   * @param options the options that the database is opened with
   * @param sink receives the lines
   * @see Dump#file
   */
  void dump(Path file, Options options, Dump.Sink sink);

  /**
   * Creates a write batch.
   *
   * @return a new, empty batch
   * @see WriteBatch#create
   */
  WriteBatch newWriteBatch();

  /**
   * Creates resources that databases share.
   *
   * @param settings the sizes
   * @return new resources, which the caller closes
   * @see SharedResources#builder
   */
  SharedResources newSharedResources(SharedResources.Settings settings);

  /**
   * Creates a bloom filter policy.
   *
   * @param bitsPerKey the size of a filter, in bits for each key
   * @return the policy
   * @see FilterPolicy#bloom
   */
  FilterPolicy newBloomFilter(int bitsPerKey);

  /**
   * Creates a stand-alone table.
   *
   * @param file the file to create
   * @param options the options of the table
   * @return the writer, which the caller closes
   * @see TableWriter#create
   */
  TableWriter newTableWriter(Path file, Options options);

  /**
   * Creates a table that a database can ingest.
   *
   * @param file the file to create
   * @param options the options of the database
   * @return the writer, which the caller closes
   * @see TableWriter#forIngest
   */
  TableWriter newIngestTableWriter(Path file, Options options);

  /**
   * Opens a stand-alone table.
   *
   * @param file the file of the table
   * @param options the options that the table was written with
   * @return the reader, which the caller closes
   * @see TableReader#open
   */
  TableReader openTable(Path file, Options options);

  /** Loads the engine on first use. */
  final class Holder {
    private static final DBFactory FACTORY =
        ServiceLoader.load(DBFactory.class, DBFactory.class.getClassLoader())
            .findFirst()
            .orElseThrow(
                () -> new IllegalStateException("no engine: add kv-core to the class path"));

    private Holder() {}
  }
}
