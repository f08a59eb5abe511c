package dev.kv;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An ordered map from keys to values, both of any bytes, kept in a directory in C++ LevelDB's
 * format. Thread-safe. One process opens a directory at a time, and once; {@link Options#readOnly}
 * opens beside it.
 *
 * <p>Arrays are not kept: the caller may change them after a call returns, and owns what a call
 * returns. An interrupt of the calling thread fails no call and stays set.
 *
 * <p>Calls after {@link #close} throw {@link DBClosedException}; failures of the file system {@link
 * DBIOException}; damaged files {@link CorruptionException}; writes after a failed one {@link
 * DBReadOnlyException}.
 */
public interface DB extends AutoCloseable {
  /** What {@link #get(ReadOptions, ByteBuffer, ByteBuffer)} returns where the key is absent. */
  int NOT_FOUND = -1;

  /**
   * Opens the database in {@code directory}. Where nothing has to be recovered, that is after a
   * {@link #flush} and {@link #close} or another such open, no file is changed: the first write
   * makes what it needs, and fails where that cannot be made.
   */
  static DB open(Path directory, Options options) {
    return DBFactory.instance().open(directory, options);
  }

  /**
   * Deletes the database in {@code directory}: the files whose names are a database's, and the
   * directory if nothing else is in it. Does nothing where there is none.
   */
  static void destroy(Path directory, Options options) {
    DBFactory.instance().destroy(directory, options);
  }

  /** Makes a damaged database open again with as much of it as can be read; takes LOCK. */
  static RepairReport repair(Path directory, Options options) {
    return DBFactory.instance().repair(directory, options);
  }

  /** Returns the value of {@code key}, or null if there is none. */
  default byte @Nullable [] get(byte[] key) {
    return get(ReadOptions.DEFAULT, key);
  }

  /** Returns the value of {@code key}, or null if there is none. */
  byte @Nullable [] get(ReadOptions options, byte[] key);

  /**
   * Copies the value of {@code key} (the remaining bytes, position kept) into {@code into}, direct
   * or heap, as far as it has room, and advances its position by what was copied. Allocates
   * nothing.
   *
   * @return the value's whole length in bytes, which may be more than was copied, or {@link
   *     #NOT_FOUND}
   */
  int get(ReadOptions options, ByteBuffer key, ByteBuffer into);

  /** Lends the value of {@code key} in the newest state; see the form with options. */
  default <R extends @Nullable Object> @Nullable R read(byte[] key, ValueReader<R> reader) {
    return read(ReadOptions.DEFAULT, key, reader);
  }

  /**
   * Lends the value of {@code key} to {@code reader} without a copy, and returns what that returns;
   * null if there is no value. What it throws comes through.
   */
  <R extends @Nullable Object> @Nullable R read(
      ReadOptions options, byte[] key, ValueReader<R> reader);

  /** Sets the value of {@code key}. */
  default void put(byte[] key, byte[] value) {
    put(WriteOptions.DEFAULT, key, value);
  }

  /** Sets the value of {@code key}. */
  void put(WriteOptions options, byte[] key, byte[] value);

  /** Sets the value of {@code key}; the remaining bytes of each, positions kept. */
  void put(WriteOptions options, ByteBuffer key, ByteBuffer value);

  /** Removes {@code key}, if it is there. */
  default void delete(byte[] key) {
    delete(WriteOptions.DEFAULT, key);
  }

  /** Removes {@code key}, if it is there. */
  void delete(WriteOptions options, byte[] key);

  /** Removes {@code key}, if it is there; the remaining bytes, position kept. */
  void delete(WriteOptions options, ByteBuffer key);

  /** Applies {@code batch} as one. */
  default void write(WriteBatch batch) {
    write(WriteOptions.DEFAULT, batch);
  }

  /**
   * Applies {@code batch} as one. An empty one writes nothing; with {@link WriteOptions#sync} it
   * still makes everything before it durable.
   */
  void write(WriteOptions options, WriteBatch batch);

  /** Returns a cursor over the newest state. */
  default DBIterator iterator() {
    return iterator(ReadOptions.DEFAULT);
  }

  /** Returns a cursor over the state, and within the bounds, that {@code options} give. */
  DBIterator iterator(ReadOptions options);

  /** Returns a frozen view of the present state. */
  Snapshot snapshot();

  /**
   * Returns LevelDB's property of that name in LevelDB's text, or null if there is none: {@code
   * leveldb.num-files-at-level<N>}, {@code leveldb.stats}, {@code leveldb.sstables}, {@code
   * leveldb.approximate-memory-usage}.
   */
  @Nullable String property(String name);

  /** Returns the figures of this moment. */
  DBStats stats();

  /**
   * Returns about how many bytes on disk each range takes; what is still in a memtable does not
   * count.
   */
  long[] approximateSizes(List<Range> ranges);

  /**
   * Compacts all keys from {@code begin} to {@code end}, both inclusive, null meaning no bound, and
   * returns when it is done: deleted and overwritten data in that range is gone, but for what
   * snapshots and iterators hold. {@link CorruptionException} where a table in it is damaged: it
   * stays as it is, and the database goes on.
   */
  void compactRange(byte @Nullable [] begin, byte @Nullable [] end);

  /**
   * Writes the memtable to a table and returns when that, and all that was there before it, is
   * durable.
   */
  void flush();

  /** Stops compactions from beginning, and waits for those under way; flushes go on. Calls nest. */
  void suspendCompactions();

  /** Undoes one {@link #suspendCompactions}. */
  void resumeCompactions();

  /**
   * Closes the database. Calls under way in other threads end with their result or with {@link
   * DBClosedException}; iterators and snapshots need not be closed before. Writes that were not
   * synced are handed to the operating system. Closing twice does nothing. {@link DBIOException}
   * where a log or LOCK cannot be closed: the database is closed and all is freed nevertheless, and
   * what was acknowledged is in the log.
   */
  @Override
  void close();
}
