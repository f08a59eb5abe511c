package dev.kv.admin;

import dev.kv.bytes.Range;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.DatabaseExistsException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an operator asks of a database without changing it: statistics, sizes and copies.
 * Thread-safe. {@link DBAdmin} adds the operations that do work in a database that is open for
 * writing. Programs do not implement this interface: later versions may add methods.
 *
 * @see dev.kv.ReadOnlyDB#admin
 */
public interface DBInspector {
  /**
   * Returns a property as text. Those of LevelDB are {@code leveldb.num-files-at-level<N>}, {@code
   * leveldb.stats}, {@code leveldb.sstables} and {@code leveldb.approximate-memory-usage}, in
   * LevelDB's form. {@code kv.stats} returns the numbers of {@link #stats()}, a line with name and
   * value each; each name is a property too.
   *
   * <p>{@code kv.estimate-num-keys} is an estimate of the number of keys. It comes from counts that
   * kv stores in its tables. An overwritten key counts more than once until it is compacted. The
   * property is null if tables of C++ LevelDB hold more than a twentieth of the bytes.
   *
   * @param name the name of the property
   * @return its value, or null if there is no property of that name
   */
  @Nullable String property(String name);

  /**
   * Returns statistics of this moment.
   *
   * @return the statistics
   */
  DBStats stats();

  /**
   * Returns the approximate size of ranges of keys on disk. Entries that are still in a memtable do
   * not count.
   *
   * @param ranges the ranges
   * @return the size of each range in bytes, in the same order; 0 if it ends before it begins
   */
  long[] approximateSizes(List<Range> ranges);

  /**
   * Writes a checkpoint: a complete database in a new directory. If the database is open for
   * writing, the checkpoint has its state of one moment during this call, with all writes that were
   * acknowledged before the call, and writes continue meanwhile. If it is open for reads only, the
   * checkpoint has the state of the open or of the last refresh. It is durable when this returns.
   *
   * <p>Tables are hard links, which take no space until the database deletes its own. They are
   * copied if the new directory is on another file system, if the environment cannot link, or if
   * the database is open for reads only. The logs, the MANIFEST and CURRENT are copied. Both
   * databases can be written, read and deleted independently.
   *
   * <p>If this fails or the process dies, {@code directory} does not exist; only if the last sync
   * fails, it is there, complete, and perhaps not durable. A directory with the suffix {@code
   * .partial} may be left beside it, which the next checkpoint of that name deletes.
   *
   * @param directory the path of the new directory, which must not exist; its parent must exist
   * @return the sequence number of the last write in the checkpoint; it contains every write up to
   *     this number, and none after it
   * @throws DatabaseExistsException if {@code directory} exists, even if it is empty or a file
   * @throws DBReadOnlyException if a write or background work has failed before
   * @throws DBIOException if the file system fails
   */
  long checkpoint(Path directory);

  /**
   * Returns the files of which the database consists, for programs that copy files themselves, and
   * keeps them readable until the result is closed. If the database is open for writing, they have
   * its state of this moment, and reads and writes continue. If it is open for reads only, they
   * have the state of the open or of the last refresh.
   *
   * @return the files, which the caller closes
   * @throws DBReadOnlyException if a write or background work has failed before
   * @throws DBIOException if the file system fails
   */
  LiveFiles suspendDeletions();
}
