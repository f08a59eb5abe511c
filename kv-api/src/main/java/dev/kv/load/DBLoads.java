package dev.kv.load;

import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.errors.OutcomeUnknownException;
import dev.kv.errors.UnsupportedFormatException;
import java.nio.file.Path;
import java.util.List;

/**
 * What adds many entries to a {@link dev.kv.DB} at once; see {@link dev.kv.DB#loads}. Thread-safe.
 * Programs do not implement this interface: later versions may add methods.
 */
public interface DBLoads extends BulkLoads {
  /**
   * Adds the entries of tables that {@link dev.kv.table.TableWriter#forIngest} wrote, all at once.
   * They replace the values that their keys have. When this returns, the entries are durable, and
   * the files may be deleted; they were copied. If it throws, nothing has changed, except after an
   * {@link OutcomeUnknownException}. If the process dies, the next open finds all of the entries or
   * none.
   *
   * <p>Every table is read completely before anything changes, and its checksums and the order of
   * its keys are checked. If no table's range has an entry in the database, the files are copied as
   * they are, and the copies are read; otherwise the entries of all are written to new tables.
   * Snapshots and iterators from before do not show the entries.
   *
   * @param tables the files, in any order; their ranges of keys must not overlap
   * @throws IllegalArgumentException if two tables overlap, or {@link
   *     dev.kv.table.TableWriter#forIngest} did not write one
   * @throws IllegalStateException if the database was opened with {@link
   *     dev.kv.Options#logRetention}
   * @throws UnsupportedFormatException if a table has another comparator
   * @throws CorruptionException if a table is damaged
   * @throws OffHeapExhaustedException if there is no memory
   * @throws DBReadOnlyException if an earlier write or background job has failed
   * @throws DBIOException if a file cannot be read or written
   * @throws OutcomeUnknownException if the MANIFEST cannot be written: the next open finds all of
   *     the entries or none
   */
  void ingest(List<Path> tables);
}
