package dev.kv.table;

import dev.kv.Options;
import dev.kv.errors.DBIOException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.load.DBLoads;
import java.nio.file.Path;

/**
 * Writes a table that is not part of a database: of user keys, which {@link TableReader} and
 * LevelDB's {@code Table} read, or for {@link DBLoads#ingest}. Not thread-safe. Programs do not
 * implement this interface: later versions may add methods.
 *
 * <p>A writer ends with {@link #finish} or {@link #abandon}. After either, every method except
 * {@link #entryCount}, {@link #fileSize} and {@link #close} throws {@link IllegalStateException}.
 *
 * <p>A failure of the file, of memory, or of the program's comparator or filter policy ends the
 * table, because a part of it cannot be continued: after it, {@link #abandon} is the only other
 * method that does not throw. The memory for blocks is limited by {@link
 * dev.kv.Options.Memory#offHeapLimit()}, or by the shared resources if there are any.
 */
public interface TableWriter extends AutoCloseable {

  /**
   * Creates a table.
   *
   * @param file the file to create; it must not exist
   * @param options the options of the table; the comparator, the filter policy, the block and
   *     compression options and the environment are used
   * @return the writer, which the caller closes
   * @throws DBIOException if the file exists or cannot be created
   * @throws OffHeapExhaustedException if there is no memory for a block
   * @throws IllegalStateException if the {@link dev.kv.SharedResources} of the options are closed
   * @throws UnsupportedFormatException if the compression is ZSTD and zstd-jni does not load
   */
  static TableWriter create(Path file, Options options) {
    return TableFactory.instance().newTableWriter(file, options);
  }

  /**
   * Creates a table for {@link DBLoads#ingest}. Jobs that run elsewhere, on Spark or Hadoop for
   * example, write such tables, and the process that has the database open ingests them. {@link
   * TableReader} does not read them: each key has eight more bytes, as in the tables of a database.
   *
   * @param file the file to create; it must not exist
   * @param options the options of the database; the comparator, the filter policy, the block and
   *     compression options and the environment are used
   * @return the writer, which the caller closes
   * @throws DBIOException if the file exists or cannot be created
   * @throws OffHeapExhaustedException if there is no memory for a block
   * @throws IllegalStateException if the {@link dev.kv.SharedResources} of the options are closed
   * @throws UnsupportedFormatException if the compression is ZSTD and zstd-jni does not load
   */
  static TableWriter forIngest(Path file, Options options) {
    return TableFactory.instance().newIngestTableWriter(file, options);
  }

  /**
   * Adds an entry.
   *
   * @param key the key; copied
   * @param value the value; copied
   * @throws IllegalArgumentException if {@code key} is not after the key added before it, or has
   *     more than 64 MiB and the table is for an ingest
   * @throws OffHeapExhaustedException if there is no memory for it
   * @throws DBIOException if the file cannot be written
   */
  void put(byte[] key, byte[] value);

  /**
   * Ends the current block, so that the next entry begins a new one.
   *
   * @throws DBIOException if the file cannot be written
   */
  void flush();

  /**
   * Returns the number of entries added.
   *
   * @return the number of entries
   */
  long entryCount();

  /**
   * Returns the number of bytes written. After {@link #finish} this is the size of the file.
   *
   * @return the size in bytes
   */
  long fileSize();

  /**
   * Writes the rest of the table, then syncs and closes the file.
   *
   * @throws DBIOException if the file cannot be written or synced
   */
  void finish();

  /**
   * Closes and deletes the file.
   *
   * @throws DBIOException if the file cannot be deleted
   */
  void abandon();

  /** Abandons the table if it is not finished. Closing it twice does nothing. */
  @Override
  void close();
}
