package dev.kv;

import java.nio.file.Path;

/** Reads a stand-alone table of user keys. Thread-safe; its iterators are not. */
public interface TableReader extends AutoCloseable {

  /** Opens {@code file} with the comparator and filter policy that it was written with. */
  static TableReader open(Path file, Options options) {
    return DBFactory.instance().openTable(file, options);
  }

  /** Returns an iterator over all entries; close it before the reader. */
  DBIterator iterator(ReadOptions options);

  /** Returns the offset in the file at which {@code key}'s block begins, or would. */
  long approximateOffsetOf(byte[] key);

  @Override
  void close();
}
