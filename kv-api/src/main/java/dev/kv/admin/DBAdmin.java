package dev.kv.admin;

import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OffHeapExhaustedException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What an operator calls: flushes, compactions, checkpoints and statistics of a database that is
 * open for writing. Thread-safe. Programs do not implement this interface: later versions may add
 * methods.
 *
 * @see dev.kv.DB#admin
 */
public interface DBAdmin extends DBInspector {
  /**
   * Writes the memtable to a table, and returns when everything that was written before this call
   * is durable.
   *
   * @throws DBReadOnlyException if the database has failed, or fails meanwhile
   * @throws OffHeapExhaustedException if a flush or compaction has lacked memory for more than a
   *     second; it continues
   */
  void flush();

  /**
   * Compacts a range of keys, and returns when that is done. Deleted and overwritten entries of the
   * range are then no longer on disk, except those that snapshots and iterators need.
   *
   * <p>Tables are compacted as a whole, and one that begins with {@code to} is, too.
   *
   * <p>A table stays as it is if it overlaps no table of another level, has nothing to drop, is
   * neither small nor more than twice as large as {@link dev.kv.Options#maxFileSize()}, and has the
   * compression and the filter that the options ask for. If there is a {@link
   * dev.kv.options.CompactionFilter}, all tables are written again.
   *
   * @param from the first key, inclusive, or null for no bound
   * @param to the end, exclusive, or null for no bound
   * @throws IllegalArgumentException if {@code from} is after {@code to}
   * @throws IllegalStateException if compactions are {@linkplain #suspendCompactions suspended} at
   *     the call. If they are suspended later, the call ends after {@link #resumeCompactions}
   * @throws CorruptionException if a table that has to be read is damaged; it stays as it is, and
   *     the database continues
   * @throws DBReadOnlyException if the database has failed, or fails meanwhile
   * @throws OffHeapExhaustedException if a flush or compaction has lacked memory for more than a
   *     second; it continues
   */
  void compactRange(byte @Nullable [] from, byte @Nullable [] to);

  /**
   * Flushes, compacts the tables with tombstones of some age, and returns when that is done. What
   * these deleted is then no longer in a table, except what snapshots and iterators need. A
   * tombstone has the age of the first table that it was flushed to, which compactions keep.
   *
   * <p>Programs that must erase data within a term call this several times in the term: the age and
   * twice the time from call to call must be less than the term, for example a quarter of it each.
   * Deletes that are in no table yet are flushed by the first of these calls, and their data is
   * erased by a later one. This is about the values in tables and logs. Logs that are {@linkplain
   * dev.kv.options.LogRetention kept} for readers of changes hold the entries as long as they are
   * kept; so do the subdirectory {@code lost/}, checkpoints and backups. The MANIFEST can keep a
   * deleted key that was the first or the last of a table: do not put into keys what has to be
   * erased.
   *
   * <p>Tables of other programs do not tell when they were written, and are compacted, too.
   *
   * @param age the age of a tombstone, at least; zero for all tombstones
   * @throws IllegalArgumentException if {@code age} is negative
   * @throws IllegalStateException if compactions are {@linkplain #suspendCompactions suspended}
   * @throws CorruptionException if a table of the range is damaged; it stays as it is, and the
   *     database continues
   * @throws DBReadOnlyException if the database has failed, or fails meanwhile
   * @throws OffHeapExhaustedException if a flush or compaction has lacked memory for more than a
   *     second; it continues
   */
  void compactDeletes(Duration age);

  /**
   * Stops new compactions and waits for those that are running. Flushes continue, and writers are
   * not slowed down by the tables that pile up in level 0 meanwhile. Calls nest: each one needs a
   * {@link #resumeCompactions} of its own; one that throws needs none.
   *
   * @throws DBReadOnlyException if compactions are running, and the database has failed or fails
   *     meanwhile
   * @throws OffHeapExhaustedException if a flush or compaction has lacked memory for more than a
   *     second; it continues
   */
  void suspendCompactions();

  /**
   * Undoes one {@link #suspendCompactions} that has returned.
   *
   * @throws IllegalStateException if there is none
   */
  void resumeCompactions();

  /**
   * Waits until no flush or compaction is running or due. Writes of other threads can make this
   * wait longer. While compactions are {@linkplain #suspendCompactions suspended}, it waits for
   * flushes only.
   *
   * @throws DBReadOnlyException if the database has failed, or fails meanwhile
   * @throws OffHeapExhaustedException if a flush or compaction has lacked memory for more than a
   *     second; it continues
   */
  void waitForCompactions();

  /**
   * Tries failed background work again, and lets writes through if it succeeds. Does nothing if
   * nothing has failed.
   *
   * <p>These failures can be resumed: a flush or compaction that could not write its table, because
   * the disk was full, the process had no descriptor left, or a read or write failed; and a thread
   * that could not be started. Nothing on disk depends on such work: its output is deleted, and the
   * work starts again with new files. After a failure of the file system, the database also retries
   * by itself, at first every 5 seconds and later every minute. A shortage of off-heap memory needs
   * no call: the database waits for memory, and writes that would have to wait longer than a second
   * throw {@link OffHeapExhaustedException}.
   *
   * <p>A listener or a compaction filter that calls this does not wait for work that needs its own
   * thread. That work is tried again afterwards.
   *
   * <p>These failures cannot be resumed: a failed write or sync of a log, of the MANIFEST, of
   * CURRENT or of the directory. After one, the state on disk is unknown until the database is
   * opened again.
   *
   * @throws DBReadOnlyException if the work fails again, with the new failure as the cause, or if
   *     the failure cannot be resumed
   */
  void resume();
}
