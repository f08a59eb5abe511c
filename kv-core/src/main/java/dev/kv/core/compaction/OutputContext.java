package dev.kv.core.compaction;

import dev.kv.core.env.FileNames;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.table.format.BuildBufferPool;
import dev.kv.core.table.format.TableFormat;
import dev.kv.core.version.FileMetadata;
import dev.kv.env.Env;
import dev.kv.options.TableSuffix;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The parameters with which jobs write tables.
 *
 * @param env creates the files
 * @param directory the database's directory
 * @param suffix the suffix of the file names
 * @param format the layout of tables
 * @param comparator the order of their internal keys
 * @param budget counts the bytes of write buffers
 * @param buffers keeps the buffers of finished jobs
 * @param clock returns the time in seconds since 1970
 * @param fileNumbers returns numbers for new tables, which are not deleted while the job runs
 * @param verifier opens a table that was just written; throws if it cannot be read
 */
public record OutputContext(
    Env env,
    Path directory,
    TableSuffix suffix,
    TableFormat format,
    InternalKeyComparator comparator,
    OffHeapBudget budget,
    BuildBufferPool buffers,
    LongSupplier clock,
    LongSupplier fileNumbers,
    Consumer<FileMetadata> verifier) {

  /** Returns the path of the table {@code number}. */
  Path table(long number) {
    return FileNames.table(directory, number, suffix);
  }
}
