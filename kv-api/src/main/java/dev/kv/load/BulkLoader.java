package dev.kv.load;

import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.errors.OutcomeUnknownException;
import java.nio.ByteBuffer;

/**
 * Loads many entries at once. They go into tables directly, without the log and without
 * compactions, and appear together when {@link #finish} returns. {@link BulkLoads#bulkLoader}
 * creates a loader. Not thread-safe; several loaders may be open at once. Programs do not implement
 * this interface: later versions may add methods.
 *
 * <pre>{@code
 * try (BulkLoader loader = db.loads().bulkLoader()) {
 *   for (Row row : rowsInOrder) {
 *     loader.put(row.key(), row.value());
 *   }
 *   loader.finish();
 * }
 * }</pre>
 *
 * <p>The keys must ascend, unless {@link BulkLoadOptions#sorted} is false. Then the loader sorts
 * them on disk, in temporary files in the directory of the database; if a key is put twice, the
 * last value counts.
 *
 * <p>A loader that is closed before it is finished changes nothing. The load takes effect when it
 * finishes: its values replace those that its keys have then. Snapshots and iterators from before
 * never show it. If the process dies, the next open finds all of the load or nothing of it.
 *
 * <p>The load costs one write of its data, if nothing else writes keys between its first and its
 * last key meanwhile. If keys between them are written before {@link #finish}, the tables are
 * written again, and writers may have to wait for that.
 */
public interface BulkLoader extends AutoCloseable {

  /**
   * Adds an entry.
   *
   * @param key the key; copied
   * @param value the value; copied
   * @throws IllegalArgumentException if the key has more than 64 MiB, or the keys must ascend, and
   *     this one is not after the one before it; the loader can still be used
   * @throws IllegalStateException if the loader is finished or closed, or if it has failed
   * @throws OffHeapExhaustedException if there is no memory; the loader can only be closed then
   * @throws DBClosedException if the database is closed
   * @throws DBReadOnlyException if an earlier write or background job has failed; the loader can
   *     only be closed then
   * @throws DBIOException if a file cannot be written; the loader can only be closed then
   */
  void put(byte[] key, byte[] value);

  /**
   * Adds an entry. Uses the remaining bytes of each buffer, direct or heap; positions do not
   * change.
   *
   * @param key the key; copied
   * @param value the value; copied
   * @throws IllegalArgumentException if the key has more than 64 MiB, or the keys must ascend, and
   *     this one is not after the one before it; the loader can still be used
   * @throws IllegalStateException if the loader is finished or closed, or if it has failed
   * @throws OffHeapExhaustedException if there is no memory; the loader can only be closed then
   * @throws DBClosedException if the database is closed
   * @throws DBReadOnlyException if an earlier write or background job has failed; the loader can
   *     only be closed then
   * @throws DBIOException if a file cannot be written; the loader can only be closed then
   */
  void put(ByteBuffer key, ByteBuffer value);

  /**
   * Returns the number of entries added.
   *
   * @return the number of calls of put that succeeded
   */
  long entryCount();

  /**
   * Makes all entries visible at once, and durable. Without entries it does nothing.
   *
   * @throws IllegalStateException if the loader is finished or closed, or if it has failed
   * @throws OffHeapExhaustedException if there is no memory; the loader can only be closed then
   * @throws DBClosedException if the database is closed
   * @throws DBReadOnlyException if an earlier write or background job has failed
   * @throws DBIOException if a file cannot be written; no entry is visible
   * @throws OutcomeUnknownException if the MANIFEST cannot be written: the next open finds all
   *     entries or none
   */
  void finish();

  /**
   * Closes the loader, and deletes its files unless it is finished. Closing it twice does nothing.
   */
  @Override
  void close();
}
