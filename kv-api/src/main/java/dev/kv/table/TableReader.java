package dev.kv.table;

import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import java.nio.file.Path;

/**
 * Reads a stand-alone table of user keys, made by {@link TableWriter} or LevelDB's {@code
 * TableBuilder}. Thread-safe; its iterators are not. Close it. Programs do not implement this
 * interface: later versions may add methods.
 */
public interface TableReader extends AutoCloseable {

  /**
   * Opens a table.
   *
   * @param file the file of the table
   * @param options the options that the table was written with; the comparator, the filter policy,
   *     the cache options and the environment are used
   * @return the reader, which the caller closes
   * @throws CorruptionException if the file is not a complete table
   * @throws DBIOException if the file cannot be read
   * @throws IllegalStateException if the {@link dev.kv.SharedResources} of the options are closed
   */
  static TableReader open(Path file, Options options) {
    return TableFactory.instance().openTable(file, options);
  }

  /**
   * Returns a cursor over the entries of the table.
   *
   * @param options the options of the read; a snapshot has no effect
   * @return a cursor, which the caller closes
   * @throws IllegalArgumentException if {@code options} have a prefix and the comparator is not
   *     bytewise, or if they are {@linkplain ReadOptions#descending() descending}
   * @throws IllegalStateException if the reader is closed
   */
  DBIterator iterator(ReadOptions options);

  /**
   * Returns the approximate position of a key in the file.
   *
   * @param key the key, which need not be in the table
   * @return the offset in bytes at which the block of {@code key} begins, or would begin
   * @throws IllegalStateException if the reader is closed
   */
  long approximateOffsetOf(byte[] key);

  /**
   * Closes the table once its last iterator is closed. No new iterator can be made. Closing it
   * twice does nothing.
   */
  @Override
  void close();
}
