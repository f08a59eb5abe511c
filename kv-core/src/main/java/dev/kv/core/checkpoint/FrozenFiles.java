package dev.kv.core.checkpoint;

import dev.kv.admin.LiveFiles;
import dev.kv.core.compaction.FlushJob;
import dev.kv.core.env.FileNames;
import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.manifest.EditParts;
import dev.kv.core.manifest.ManifestContext;
import dev.kv.core.manifest.NewDatabase;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import dev.kv.env.Env;
import dev.kv.env.RandomAccessFile;
import dev.kv.errors.DBIOException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes the files that hold exactly what a database shows that is open for reading only.
 *
 * <p>Another process may be deleting the files on disk. The tables are open here, and stay readable
 * without their names. The rest is rebuilt, in memory: the entries that come from logs are written
 * as tables, and a MANIFEST lists them with the others. The numbers of the new tables may be the
 * numbers of other files of the writer.
 */
public final class FrozenFiles {
  private static final Path SCRATCH = Path.of("/frozen");

  private final DatabaseContext context;
  private final Version version;
  private final VersionSet numbers;
  private final Env scratch = Env.inMemory();
  private final List<LiveFiles.File> files = new ArrayList<>();

  private FrozenFiles(DatabaseContext context, Version version, VersionSet numbers) {
    this.context = context;
    this.version = version;
    this.numbers = numbers;
  }

  /**
   * Returns the files of a database that is open for reading only.
   *
   * @param version the tables; retained until the files are closed
   * @param numbers gives numbers to new files
   * @param memtables the entries from the logs, oldest first; borrowed during the call
   * @param lastSequence the sequence number of the last write
   */
  public static LiveFiles of(
      DatabaseContext context,
      Version version,
      VersionSet numbers,
      List<MemTable> memtables,
      long lastSequence) {
    FrozenFiles frozen = new FrozenFiles(context, version, numbers);
    try {
      frozen.make(memtables, lastSequence);
    } catch (IOException e) {
      throw new DBIOException(
          "cannot list the files of the database in " + context.directory() + ": " + e, e);
    }
    version.retain();
    return new FileList(lastSequence, frozen.files, version::release);
  }

  private void make(List<MemTable> memtables, long lastSequence) throws IOException {
    scratch.createDirectory(SCRATCH);
    ManifestContext manifest =
        new ManifestContext(
            scratch,
            SCRATCH,
            context.comparator(),
            context.budget(),
            context.options().maxFileSize(),
            false);
    EditParts state = new EditParts(manifest, 0, 0);
    addTables(state);
    for (MemTable memtable : memtables) {
      FileMetadata table = write(memtable);
      if (table != null) {
        state.addFile(0, table);
      }
    }
    for (String name : scratch.list(SCRATCH)) {
      addScratch(name, true);
    }
    long number = numbers.newFileNumber();
    NewDatabase.create(manifest, number, state.end(number + 1, lastSequence));
    addScratch(String.valueOf(FileNames.manifest(SCRATCH, number).getFileName()), false);
    addScratch("CURRENT", false);
  }

  private void addTables(EditParts state) {
    for (int level = 0; level < Levels.COUNT; level++) {
      List<FileMetadata> tables = version.files(level);
      for (FileMetadata table : tables) {
        state.addFile(level, table);
        files.add(new OpenTable(context, table));
      }
    }
  }

  private @Nullable FileMetadata write(MemTable memtable) {
    try (ForwardIterator entries = memtable.iterator()) {
      return new FlushJob(
              entries, context.outputContext(scratch, SCRATCH, numbers::newFileNumber, table -> {}))
          .run()
          .table();
    }
  }

  private void addScratch(String name, boolean isTable) throws IOException {
    Path path = SCRATCH.resolve(name);
    files.add(new FilePrefix(scratch, path, scratch.size(path), isTable));
  }

  /** A table of the database, read through the open table. */
  private record OpenTable(DatabaseContext context, FileMetadata table) implements LiveFiles.File {
    @Override
    public String name() {
      Path path =
          FileNames.table(context.directory(), table.number(), context.options().tables().suffix());
      return String.valueOf(path.getFileName());
    }

    @Override
    public long size() {
      return table.size();
    }

    @Override
    public boolean isTable() {
      return true;
    }

    @Override
    public RandomAccessFile open() {
      return context.tables().openRaw(table);
    }
  }
}
