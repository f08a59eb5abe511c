package dev.kv.admin;

import dev.kv.env.RandomAccessFile;
import java.io.IOException;
import java.util.List;

/**
 * The files that a database consisted of at one moment. They are kept until {@link #close}, while
 * the database continues to be read and written. Copies of them, each of its first {@link
 * File#size} bytes, are a database: the state of that moment. Thread-safe.
 *
 * <p>Space on disk is not freed while a {@code LiveFiles} is open, as far as only it needs the
 * files. {@link dev.kv.DB#close} ends the protection: the next open may delete files. Close this
 * before the database, or tables that only it needs stay open and mapped.
 *
 * @see DBInspector#suspendDeletions
 */
public interface LiveFiles extends AutoCloseable {
  /**
   * Returns the sequence number of the last write that the files contain. They contain every write
   * up to it, and none after it.
   *
   * @return the sequence number
   */
  long sequence();

  /**
   * Returns the files: the tables, then the logs, the MANIFEST, and last CURRENT.
   *
   * @return the files, immutable
   */
  List<File> files();

  /** Lets the database delete the files when it does not need them. Closing twice does nothing. */
  @Override
  void close();

  /** One file of a database. Thread-safe. */
  interface File {
    /**
     * Returns the name in the database's directory.
     *
     * @return the name, without a directory
     */
    String name();

    /**
     * Returns the number of bytes that belong to the state. The file may grow after them.
     *
     * @return the size in bytes
     */
    long size();

    /**
     * Returns true if the file is a table, which never changes. The other files are small: logs,
     * the MANIFEST and CURRENT.
     *
     * @return true if it is a table
     */
    boolean isTable();

    /**
     * Opens the file to read its first {@link #size} bytes.
     *
     * @return the file, which the caller closes
     * @throws IOException if the file cannot be opened
     */
    RandomAccessFile open() throws IOException;
  }
}
