package dev.kv.core.compaction;

import dev.kv.core.env.FileNames;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.table.TableCache;
import dev.kv.core.table.format.BuildBufferPool;
import dev.kv.core.table.format.TableFormat;
import dev.kv.core.version.FileMetadata;
import dev.kv.env.Env;
import dev.kv.options.TableSuffix;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The parameters with which jobs write tables.
 *
 * @param target the files that are written
 * @param format the layout of tables
 * @param comparator the order of their internal keys
 * @param budget counts the bytes of write buffers
 * @param buffers keeps the buffers of finished jobs
 * @param writtenAt returns the time for the properties of a new table, in seconds since 1970
 * @param verifier opens a table that was just written; throws if it cannot be read
 */
public record OutputContext(
    Target target,
    TableFormat format,
    InternalKeyComparator comparator,
    OffHeapBudget budget,
    BuildBufferPool buffers,
    LongSupplier writtenAt,
    Consumer<FileMetadata> verifier) {

  /** Returns the same for tables that replace {@code tables}, whose deletes keep their age. */
  public OutputContext replacing(TableCache cache, List<FileMetadata> tables) {
    LongSupplier time = () -> cache.writtenAt(tables, writtenAt.getAsLong());
    return new OutputContext(target, format, comparator, budget, buffers, time, verifier);
  }

  /**
   * The files of new tables.
   *
   * @param env creates the files
   * @param directory their directory
   * @param suffix the suffix of their names
   * @param numbers returns their numbers; they are not deleted while the job runs
   */
  public record Target(Env env, Path directory, TableSuffix suffix, LongSupplier numbers) {
    /** Returns the path of the table {@code number}. */
    public Path table(long number) {
      return FileNames.table(directory, number, suffix);
    }
  }
}
