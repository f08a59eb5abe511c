package dev.kv.jmh.store;

/**
 * How the databases of a run are opened, in db_bench's terms: sizes in bytes, 0 or -1 for the
 * product's default.
 *
 * @param cacheSize capacity of the block or page cache; -1 for the default of LevelDB, 8 MiB
 * @param writeBufferSize size of a memtable; 0 for 4 MiB
 * @param maxFileSize size of a table; 0 for 2 MiB
 * @param blockSize size of a block; 0 for 4 KiB
 * @param openFiles files held open; 0 for 1000
 * @param bloomBits bits per key of a bloom filter; -1 for none
 * @param compression whether data is compressed, where the product can
 * @param reuseLogs whether an open goes on with the last log
 * @param readAccess by which of kv's ways single keys are read
 * @param dataBytes about how much data the run writes, for products that want to know beforehand
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
    long dataBytes) {

  /** The defaults of db_bench. */
  public static final StoreSettings DEFAULT =
      new StoreSettings(-1, 0, 0, 0, 0, -1, true, false, ReadAccess.ARRAY, 1L << 30);

  /** The ways in which kv gives a value. */
  public enum ReadAccess {
    /** A new array for each. */
    ARRAY,
    /** Into a direct buffer of the caller. */
    BUFFER,
    /** Lent to a function, with no copy. */
    LENT
  }

  /** Returns the cache's capacity, the default filled in. */
  public long cacheBytes() {
    return cacheSize < 0 ? 8L << 20 : cacheSize;
  }

  /** Returns the memtable's size, the default filled in. */
  public int writeBufferBytes() {
    return writeBufferSize <= 0 ? 4 << 20 : writeBufferSize;
  }

  /** Returns the block's size, the default filled in. */
  public int blockBytes() {
    return blockSize <= 0 ? 4096 : blockSize;
  }

  /** Returns the table's size, the default filled in. */
  public int maxFileBytes() {
    return maxFileSize <= 0 ? 2 << 20 : maxFileSize;
  }

  /** Returns the number of open files, the default filled in. */
  public int maxOpenFiles() {
    return openFiles <= 0 ? 1000 : openFiles;
  }
}
