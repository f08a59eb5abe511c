package dev.kv.core.recovery;

import dev.kv.core.compaction.FlushResult;
import dev.kv.core.env.FileNames;
import dev.kv.core.env.UnneededFile;
import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.state.CompactionStats;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.state.TableOutputs;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.VersionEdit;
import dev.kv.errors.DBException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the memtables of a recovery as tables of level 0, and adds them to the edit that the open
 * will log. The first one is merged with the newest tables of level 0 if all of them are small.
 */
final class RecoveredTables implements LogRecovery.Sink {
  private static final EngineLogger LOG = EngineLogger.of(RecoveredTables.class);

  private final DatabaseContext context;
  private final VersionSet versions;
  private final CompactionStats compactionStats;
  private final VersionEdit.Builder edit;
  private final List<Long> numbers = new ArrayList<>();
  private int count;

  /** Creates the object without tables. */
  RecoveredTables(
      DatabaseContext context,
      VersionSet versions,
      CompactionStats compactionStats,
      VersionEdit.Builder edit) {
    this.context = context;
    this.versions = versions;
    this.compactionStats = compactionStats;
    this.edit = edit;
  }

  @Override
  public void full(MemTable memtable) {
    try {
      List<FileMetadata> small =
          count == 0
              ? SmallTables.choose(versions.current(), memtable.memoryUsed())
              : List.of(); // the tables of this recovery are newer
      if (small.isEmpty() || !mergeWith(small, memtable)) {
        add(outputs().flush(memtable));
      }
    } finally {
      memtable.release();
    }
  }

  private TableOutputs outputs() {
    return new TableOutputs(context, this::newNumber, number -> {});
  }

  private long newNumber() {
    long number = versions.newFileNumber();
    numbers.add(number);
    return number;
  }

  private void add(FlushResult result) {
    FileMetadata table = result.table();
    if (table != null) {
      edit.addFile(0, table);
      compactionStats.add(0, result.stats());
      count++;
    }
  }

  /**
   * Writes the entries of small tables and of a memtable as one table. Returns false if that fails,
   * for example because a table is damaged: then the tables stay, and the open does not depend on
   * them.
   */
  private boolean mergeWith(List<FileMetadata> small, MemTable memtable) {
    TableOutputs outputs = outputs();
    try (ForwardIterator entries = SmallTables.merge(context, memtable, small)) {
      add(outputs.flush(entries, small));
    } catch (DBException e) {
      outputs.abandon();
      LOG.warn("{}: small tables of level 0 are not merged: {}", context.directory(), e.toString());
      return false;
    }
    small.forEach(table -> edit.deleteFile(0, table.number()));
    return true;
  }

  /** Deletes the tables, which no edit may name. A failure leaves them, and is only logged. */
  void delete() {
    for (long number : numbers) {
      context.tables().evict(number);
      Path table =
          FileNames.table(context.directory(), number, context.options().tables().suffix());
      UnneededFile.delete(context.env(), table, LOG);
    }
  }

  /** Returns how many tables were written. */
  int count() {
    return count;
  }
}
