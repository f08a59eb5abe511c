package dev.kv.core.db;

import dev.kv.core.compaction.FlushJob;
import dev.kv.core.compaction.FlushResult;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.VersionEdit;

/**
 * Writes what a recovery replays to tables of level 0, and notes them in the edit that the open
 * will log.
 */
final class RecoveredTables implements LogRecovery.Sink {
  private final Resources resources;
  private final VersionSet versions;
  private final CompactionStats costs;
  private final VersionEdit.Builder edit;
  private int count;

  RecoveredTables(
      Resources resources, VersionSet versions, CompactionStats costs, VersionEdit.Builder edit) {
    this.resources = resources;
    this.versions = versions;
    this.costs = costs;
    this.edit = edit;
  }

  @Override
  public void full(MemTable memtable) {
    TableOutputs outputs = new TableOutputs(resources, versions::newFileNumber, number -> {});
    try (InternalIterator entries = memtable.iterator()) {
      FlushResult result = new FlushJob(entries, outputs.context()).run();
      FileMetadata table = result.table();
      if (table != null) {
        edit.addFile(0, table);
        costs.add(0, result.stats());
        count++;
      }
    } finally {
      memtable.release();
    }
  }

  /** Returns how many tables were written. */
  int count() {
    return count;
  }
}
