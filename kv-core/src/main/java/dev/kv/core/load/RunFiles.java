package dev.kv.core.load;

import dev.kv.Options;
import dev.kv.bytes.Escape;
import dev.kv.core.env.FileNames;
import dev.kv.core.env.UnneededFile;
import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.memory.Undo;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.state.ObsoleteFiles;
import dev.kv.core.table.Table;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.MappingQuota;
import dev.kv.core.table.cache.TableFile;
import dev.kv.core.table.format.BuildBuffers;
import dev.kv.core.table.format.TableBuilder;
import dev.kv.core.table.format.TableFormat;
import dev.kv.env.WritableFile;
import dev.kv.errors.DBIOException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The temporary files of one sort, in the database's directory. They have the names of temporary
 * files, so that the next open deletes those that a killed process leaves. They are not synced. Not
 * thread-safe.
 */
final class RunFiles implements AutoCloseable {
  private static final EngineLogger LOG = EngineLogger.of(RunFiles.class);

  /** Larger blocks than those of tables: runs are only scanned. */
  private static final int BLOCK_BYTES = 32 << 10;

  private static final int RESTART_INTERVAL = 64;

  private final DatabaseContext context;
  private final ObsoleteFiles obsolete;
  private final TableFormat format;
  private final BlockProvider blocks;
  private final MappingQuota unmapped = new MappingQuota(0);

  /** Creates the files of one sort; there are none yet. */
  RunFiles(DatabaseContext context, ObsoleteFiles obsolete) {
    this.context = context;
    this.obsolete = obsolete;
    Options options = context.options();
    format =
        new TableFormat(
            BLOCK_BYTES,
            RESTART_INTERVAL,
            options.compression(),
            options.zstdCompressionLevel(),
            options.tables().nativeSnappy(),
            null,
            TableFormat.WHOLE_TABLE,
            false);
    blocks = context.newBlocks();
  }

  /** Writes the entries of a cursor, which is borrowed, as a run, which the caller closes. */
  SortedRun write(ForwardIterator entries) {
    long number = obsolete.newPendingNumber();
    Path path = FileNames.temp(context.directory(), number);
    try (Undo undo = new Undo(() -> delete(path, number))) {
      build(path, entries);
      SortedRun run = open(path, number);
      undo.cancel();
      return run;
    } catch (IOException e) {
      throw new DBIOException(
          "cannot write the temporary file " + Escape.text(path.toString()) + ": " + e, e);
    }
  }

  private void build(Path path, ForwardIterator entries) throws IOException {
    try (WritableFile file = context.env().createWritable(path);
        BuildBuffers buffers = new BuildBuffers(format, context.budget())) {
      TableBuilder builder = new TableBuilder(format, context.comparator(), file, buffers);
      for (entries.seekToFirst(); entries.isValid(); entries.next()) {
        builder.add(entries);
      }
      builder.finish();
    }
  }

  private SortedRun open(Path path, long number) throws IOException {
    TableFile file = TableFile.open(context.env(), path, unmapped);
    long id = context.blockCache().newId();
    Table table = Table.open(file, id, context.comparator(), null, blocks);
    return new SortedRun(table, () -> delete(path, number));
  }

  private void delete(Path path, long number) {
    UnneededFile.delete(context.env(), path, LOG); // if this fails, the next open deletes it
    obsolete.settle(number);
  }

  @Override
  public void close() {
    blocks.close();
  }
}
