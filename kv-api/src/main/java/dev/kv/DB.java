package dev.kv;

import dev.kv.admin.DBAdmin;
import dev.kv.admin.RepairReport;
import dev.kv.change.ChangeFeed;
import dev.kv.errors.ComparatorException;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBLockedException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.DatabaseExistsException;
import dev.kv.errors.NoSuchDatabaseException;
import dev.kv.errors.NotADirectoryException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.errors.OutcomeUnknownException;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.load.DBLoads;
import java.nio.file.Path;

/**
 * An ordered map from keys to values, both of any bytes, in a directory of C++ LevelDB's format.
 * Thread-safe. One process opens a directory at a time, and opens it once; {@link #openReadOnly}
 * opens it beside that one. Programs do not implement this interface: later versions may add
 * methods.
 *
 * <p>Arrays: the library keeps no array that is passed to it, so the caller may change it after the
 * call returns. The caller owns every array that a call returns. Interrupts: an interrupt of the
 * calling thread does not make a call fail, and the thread's interrupt status stays set.
 *
 * <p>Every call can throw {@link DBClosedException} after {@link #close}, {@link DBIOException} if
 * the file system fails, and {@link CorruptionException} if a file is damaged. A write that throws
 * was not done, except after an {@link OutcomeUnknownException} or a {@link ComparatorException};
 * see {@link DBWriter}. A write after a failed one throws {@link DBReadOnlyException}; see {@link
 * DBAdmin#resume}. For a null argument, a call throws {@link NullPointerException} with the name of
 * the parameter.
 */
public interface DB extends KeyValueStore, AutoCloseable {
  /**
   * Opens a database.
   *
   * <p>If there is nothing to recover from the logs, as after {@link DBAdmin#flush} and {@link
   * #close}, the open changes no file. The first write then creates the files that it needs, and
   * fails if they cannot be created. With {@link Options#logRetention} each open writes files, with
   * {@link Options.Monitoring#infoLog} it begins a new LOG, and with {@link Options#reuseLogs} it
   * may begin a new MANIFEST. The first open without {@link Options#logRetention} deletes the file
   * CHANGES, which ends the change feed.
   *
   * @param directory the directory of the database
   * @param options how to open it
   * @return the open database, which the caller closes
   * @throws NoSuchDatabaseException if there is none and {@link Options#createIfMissing} is false
   * @throws DatabaseExistsException if there is one and {@link Options#errorIfExists} is true
   * @throws NotADirectoryException if {@code directory} is something else, such as a file
   * @throws DBLockedException if it is already open, in this process or another
   * @throws IllegalStateException if the {@link SharedResources} of the options are closed
   * @throws UnsupportedFormatException if it has another comparator, or another program's format;
   *     or if {@link Options#compression} is ZSTD and zstd-jni does not load
   * @throws CorruptionException if it is damaged
   * @throws OffHeapExhaustedException if there is no memory for what is recovered
   * @throws ComparatorException if the comparator throws while the logs are replayed
   * @throws DBIOException if the file system fails
   */
  static DB open(Path directory, Options options) {
    return DBFactory.instance().open(directory, options);
  }

  /**
   * Opens a database for reads only, and changes nothing on disk. It takes no lock, so another
   * process, or this one, may have the database open and write to it. Reads show the state of the
   * open, until {@link ReadOnlyDB#refresh}.
   *
   * @param directory the directory of the database
   * @param options how to open it; what concerns writes has no effect
   * @return the open database, which the caller closes
   * @throws NoSuchDatabaseException if there is none
   * @throws NotADirectoryException if {@code directory} is something else, such as a file
   * @throws IllegalStateException if the {@link SharedResources} of the options are closed
   * @throws UnsupportedFormatException if it has another comparator, or another program's format
   * @throws CorruptionException if it is damaged
   * @throws OffHeapExhaustedException if there is no memory for what is recovered
   * @throws ComparatorException if the comparator throws while the logs are replayed
   * @throws DBIOException if the file system fails
   */
  static ReadOnlyDB openReadOnly(Path directory, Options options) {
    return DBFactory.instance().openReadOnly(directory, options);
  }

  /**
   * Deletes a database: the files with the names of a database's files, and the directory if
   * nothing else is in it. It does nothing if the directory does not exist or has no such file. The
   * subdirectory {@code lost/}, to which an open or a repair moves files, stays, and so does the
   * directory then.
   *
   * @param directory the directory of the database
   * @param options the options; only the environment is used
   * @throws NoSuchDatabaseException if such files are there, and the content of none of them shows
   *     that it is a database's: another program has written them
   * @throws NotADirectoryException if {@code directory} is something else, such as a file
   * @throws DBLockedException if the database is open
   * @throws DBIOException if a file cannot be deleted
   */
  static void destroy(Path directory, Options options) {
    DBFactory.instance().destroy(directory, options);
  }

  /**
   * Repairs a damaged database: merges everything that can be read of its tables and logs into new
   * tables. Tables that were read completely are deleted when the new ones are in use; all other
   * files that are no longer used are moved to its subdirectory {@code lost/}. To be able to undo a
   * repair, copy the directory first.
   *
   * @param directory the directory of the database
   * @param options the options that the database is opened with, above all its comparator
   * @return what was found and done
   * @throws NoSuchDatabaseException if the directory has no table, log or MANIFEST, or only files
   *     of another program with such names
   * @throws NotADirectoryException if {@code directory} is something else, such as a file
   * @throws DBLockedException if the database is open
   * @throws IllegalStateException if the {@link SharedResources} of the options are closed
   * @throws UnsupportedFormatException if it has another comparator, or is a database of RocksDB;
   *     or if {@link Options#compression} is ZSTD and zstd-jni does not load
   * @throws DBIOException if the file system fails
   */
  static RepairReport repair(Path directory, Options options) {
    return DBFactory.instance().repair(directory, options);
  }

  /**
   * Returns what an operator calls: statistics, flushes, compactions, checkpoints.
   *
   * @return the operations, always the same object
   */
  DBAdmin admin();

  /**
   * Returns what adds many entries at once: bulk loads, and tables that other jobs wrote.
   *
   * @return the loads, always the same object
   */
  @Override
  DBLoads loads();

  /**
   * Returns what reads the changes of the database in order.
   *
   * @return the change feed, always the same object; its methods throw {@link
   *     IllegalStateException} if the database was opened without {@link Options#logRetention}
   */
  ChangeFeed changes();

  /**
   * Closes the database. Closing it twice does nothing. Calls in other threads end with their
   * result or with {@link DBClosedException}. Iterators and snapshots need not be closed before.
   * Writes that were not synced are passed to the operating system.
   *
   * @throws IllegalStateException if a listener of the database calls this; or a comparator, filter
   *     policy, compaction filter or receiver of progress that a flush, compaction, load or ingest
   *     calls; or a stage of {@link #writeAsync} or {@link #syncAsync} that runs on the database's
   *     own thread, because the system has no other one
   * @throws DBIOException if a log or LOCK cannot be closed; the database is closed and its memory
   *     freed nevertheless, and acknowledged writes are in the log
   */
  @Override
  void close();
}
