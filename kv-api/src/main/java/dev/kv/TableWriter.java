package dev.kv;

import java.nio.file.Path;

/**
 * Writes a stand-alone table of user keys, which {@link TableReader} and LevelDB's {@code Table}
 * read. It is not part of a database. Not thread-safe. Ends in {@link #finish} or {@link #abandon};
 * closing an unfinished writer abandons it.
 */
public interface TableWriter extends AutoCloseable {

  /**
   * Creates {@code file}, which must not exist, by the comparator, block and compression options.
   */
  static TableWriter create(Path file, Options options) {
    return DBFactory.instance().newTableWriter(file, options);
  }

  /** Adds an entry; {@link IllegalArgumentException} where its key is not after the last one's. */
  void add(byte[] key, byte[] value);

  /** Ends the current block, so that what follows begins another. */
  void flush();

  /** Returns the number of entries added. */
  long entryCount();

  /** Returns the bytes written so far; after {@link #finish} the file's size. */
  long fileSize();

  /** Writes the rest, syncs and closes the file. */
  void finish();

  /** Closes and deletes the file. */
  void abandon();

  @Override
  void close();
}
