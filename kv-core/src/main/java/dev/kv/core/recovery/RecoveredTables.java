package dev.kv.core.recovery;

import dev.kv.core.compaction.FlushResult;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.state.CompactionStats;
import dev.kv.core.state.Resources;
import dev.kv.core.state.TableOutputs;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.VersionEdit;

/**
 * Writes the memtables of a recovery as tables of level 0, and adds them to the edit that the open
 * will log.
 */
public final class RecoveredTables implements LogRecovery.Sink {
  private final Resources resources;
  private final VersionSet versions;
  private final CompactionStats compactionStats;
  private final VersionEdit.Builder edit;
  private int count;

  /** Creates the object without tables. */
  public RecoveredTables(
      Resources resources,
      VersionSet versions,
      CompactionStats compactionStats,
      VersionEdit.Builder edit) {
    this.resources = resources;
    this.versions = versions;
    this.compactionStats = compactionStats;
    this.edit = edit;
  }

  @Override
  public void full(MemTable memtable) {
    TableOutputs outputs = new TableOutputs(resources, versions::newFileNumber, number -> {});
    try {
      FlushResult result = outputs.flush(memtable);
      FileMetadata table = result.table();
      if (table != null) {
        edit.addFile(0, table);
        compactionStats.add(0, result.stats());
        count++;
      }
    } finally {
      memtable.release();
    }
  }

  /** Returns how many tables were written. */
  public int count() {
    return count;
  }
}
