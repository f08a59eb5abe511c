package dev.kv.jmh.store;

/**
 * The settings with which databases are opened, as db_bench has them: sizes in bytes, 0 or -1 for
 * the default.
 *
 * @param cacheSize capacity of the block or page cache; -1 for the default of LevelDB, 8 MiB
 * @param writeBufferSize size of a memtable; 0 for 4 MiB
 * @param maxFileSize size of a table; 0 for 2 MiB
 * @param blockSize size of a block; 0 for 4 KiB
 * @param openFiles files held open; 0 for 1000
 * @param bloomBits bits per key of a bloom filter; -1 for none
 * @param compression true to compress data, if the store can
 * @param reuseLogs true to append to the last log after an open
 * @param readAccess how kv returns the values of point reads
 * @param readInPlace true if kv reads uncompressed blocks where its tables are mapped
 * @param dataBytes the approximate size of the data, for stores that need it at the open
 */
public record StoreSettings(
    long cacheSize,
    int writeBufferSize,
    int maxFileSize,
    int blockSize,
    int openFiles,
    int bloomBits,
    boolean compression,
    boolean reuseLogs,
    ReadAccess readAccess,
    boolean readInPlace,
    long dataBytes) {

  /** The defaults of db_bench. */
  public static final StoreSettings DEFAULT =
      new StoreSettings(-1, 0, 0, 0, 0, -1, true, false, ReadAccess.ARRAY, false, 1L << 30);

  /** The ways in which kv returns a value. */
  public enum ReadAccess {
    /** As a new array. */
    ARRAY,
    /** As a copy in a direct buffer of the caller. */
    BUFFER,
    /** As a view that a function borrows, without a copy. */
    BORROWED
  }

  /** Returns the cache's capacity, with the default applied. */
  public long cacheBytes() {
    return cacheSize < 0 ? 8L << 20 : cacheSize;
  }

  /** Returns the memtable's size, with the default applied. */
  public int writeBufferBytes() {
    return writeBufferSize <= 0 ? 4 << 20 : writeBufferSize;
  }

  /** Returns the block's size, with the default applied. */
  public int blockBytes() {
    return blockSize <= 0 ? 4096 : blockSize;
  }

  /** Returns the table's size, with the default applied. */
  public int maxFileBytes() {
    return maxFileSize <= 0 ? 2 << 20 : maxFileSize;
  }

  /** Returns the number of open files, with the default applied. */
  public int maxOpenFiles() {
    return openFiles <= 0 ? 1000 : openFiles;
  }
}
