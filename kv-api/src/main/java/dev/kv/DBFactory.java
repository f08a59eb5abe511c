package dev.kv;

import dev.kv.admin.RepairReport;
import java.nio.file.Path;
import java.util.ServiceLoader;

/**
 * The engine of the API, which {@link ServiceLoader} finds once. Programs use the static methods of
 * {@link DB}, {@link WriteBatch}, {@link SharedResources}, {@link FilterPolicy}, {@link
 * dev.kv.table.TableWriter}, {@link dev.kv.table.TableReader} and {@link Dump} instead.
 * Thread-safe.
 */
public interface DBFactory {

  /**
   * Returns the engine on the class path or module path.
   *
   * @return the engine, always the same object
   * @throws IllegalStateException if there is none
   */
  static DBFactory instance() {
    return Engine.required();
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
}
