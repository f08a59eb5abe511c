package dev.kv;

import java.nio.file.Path;
import java.util.List;

/**
 * An ordered map from keys to values, both of any bytes, in a directory of C++ LevelDB's format.
 * Thread-safe. One process opens a directory at a time, and opens it once; {@link #openReadOnly}
 * opens it beside that one.
 *
 * <p>Arrays: the library keeps no array that is passed to it, so the caller may change it after the
 * call returns. The caller owns every array that a call returns. Interrupts: an interrupt of the
 * calling thread does not make a call fail, and the thread's interrupt status stays set.
 *
 * <p>Every call can throw {@link DBClosedException} after {@link #close}, {@link DBIOException} if
 * the file system fails, and {@link CorruptionException} if a file is damaged. A write after a
 * failed one throws {@link DBReadOnlyException}; see {@link DBAdmin#resume}. For a null argument, a
 * call throws {@link NullPointerException} with the name of the parameter.
 */
public interface DB extends KeyValueStore, AutoCloseable {
  /**
   * Opens a database.
   *
   * <p>If there is nothing to recover from the logs, as after {@link DBAdmin#flush} and {@link
   * #close}, the open changes no file. The first write then creates the files that it needs, and
   * fails if they cannot be created.
   *
   * @param directory the directory of the database
   * @param options how to open it
   * @return the open database, which the caller closes
   * @throws NoSuchDatabaseException if there is none and {@link Options#createIfMissing} is false
   * @throws DatabaseExistsException if there is one and {@link Options#errorIfExists} is true
   * @throws NotADirectoryException if {@code directory} is something else, such as a file
   * @throws DBLockedException if it is already open, in this process or another
   * @throws UnsupportedFormatException if it has another comparator, or another program's format
   * @throws CorruptionException if it is damaged
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
   * @throws UnsupportedFormatException if it has another comparator, or another program's format
   * @throws CorruptionException if it is damaged
   * @throws DBIOException if the file system fails
   */
  static ReadOnlyDB openReadOnly(Path directory, Options options) {
    return DBFactory.instance().openReadOnly(directory, options);
  }

  /**
   * Deletes a database: the files with the names of a database's files, and the directory if
   * nothing else is in it. It does nothing if there is no database.
   *
   * @param directory the directory of the database
   * @param options the options; only the environment is used
   * @throws NotADirectoryException if {@code directory} is something else, such as a file
   * @throws DBLockedException if the database is open
   * @throws DBIOException if a file cannot be deleted
   */
  static void destroy(Path directory, Options options) {
    DBFactory.instance().destroy(directory, options);
  }

  /**
   * Repairs a damaged database: merges everything that can be read of its tables and logs into new
   * tables. Files that are no longer used are moved to its subdirectory {@code lost/}.
   *
   * @param directory the directory of the database
   * @param options the options that the database is opened with, above all its comparator
   * @return what was found and done
   * @throws NoSuchDatabaseException if the directory has no table, log or MANIFEST
   * @throws NotADirectoryException if {@code directory} is something else, such as a file
   * @throws DBLockedException if the database is open
   * @throws UnsupportedFormatException if it has another comparator
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
   * Adds the entries of tables that {@link TableWriter#forIngest} wrote, all at once. They replace
   * the values that their keys have. When this returns, the entries are durable, and the files may
   * be deleted; they were copied. If it throws, nothing has changed, unless the message says that
   * the outcome is unknown. If the process dies, the next open finds all of the entries or none.
   *
   * <p>Every table is read completely first, and its checksums and the order of its keys are
   * checked. If the range of a table has no entry in the database, the file is copied as it is;
   * otherwise its entries are written to new tables. Snapshots and iterators from before do not
   * show the entries.
   *
   * @param tables the files, in any order; their ranges of keys must not overlap
   * @throws IllegalArgumentException if two tables overlap, or {@link TableWriter#forIngest} did
   *     not write one
   * @throws UnsupportedFormatException if a table has another comparator
   * @throws CorruptionException if a table is damaged
   * @throws DBIOException if a file cannot be read or written
   */
  void ingest(List<Path> tables);

  /**
   * Reads the durable changes after a position. See {@link #changes(ChangeOptions,
   * ChangePosition)}.
   *
   * @param after the position, which was read from this database earlier
   * @return a reader, which the caller closes
   */
  default Changes changes(ChangePosition after) {
    return changes(ChangeOptions.DEFAULT, after);
  }

  /**
   * Reads the changes after a position: every group of writes that was committed since, in order,
   * and then new ones. The logs of the database are read, as far as {@link Options#logRetention}
   * keeps them.
   *
   * @param options which groups are delivered
   * @param after the position, which was read from this database earlier, also before it was opened
   *     this time
   * @return a reader, which the caller closes
   * @throws ChangesLostException if the changes after the position are not complete any more
   * @throws IllegalStateException if the database was opened without {@link Options#logRetention}
   * @throws IllegalArgumentException if the position lies after the last write, or inside a group
   */
  Changes changes(ChangeOptions options, ChangePosition after);

  /**
   * Returns the position after the last durable write. A copy of the database that is read after
   * this call contains all changes before the position, and perhaps later ones, which can be
   * applied again.
   *
   * @return the position
   * @throws IllegalStateException if the database was opened without {@link Options#logRetention}
   */
  ChangePosition changePosition();

  /**
   * Returns the position before the oldest change that can still be read. A flush after this call,
   * or one that ends at the same time, can delete that change, if the retention asks for it: {@link
   * #changes} then throws {@link ChangesLostException}, and the caller asks for the oldest position
   * again.
   *
   * @return the position
   * @throws IllegalStateException if the database was opened without {@link Options#logRetention}
   */
  ChangePosition oldestChangePosition();

  /**
   * Closes the database. Closing it twice does nothing. Calls in other threads end with their
   * result or with {@link DBClosedException}. Iterators and snapshots need not be closed before.
   * Writes that were not synced are passed to the operating system.
   *
   * @throws DBIOException if a log or LOCK cannot be closed; the database is closed and its memory
   *     freed nevertheless, and acknowledged writes are in the log
   */
  @Override
  void close();
}
