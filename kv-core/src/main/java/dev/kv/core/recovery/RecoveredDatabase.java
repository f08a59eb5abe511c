package dev.kv.core.recovery;

import dev.kv.admin.DBStats;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.state.CompactionStats;
import dev.kv.core.state.WriteAheadLog;
import org.jspecify.annotations.Nullable;

/**
 * What a recovery has found and left to the open database.
 *
 * @param memtable the memtable to begin with, owned
 * @param log the log to begin with, owned; null if the first write creates it
 * @param stats counts the tables that the recovery has written
 * @param report the statistics of the recovery
 */
public record RecoveredDatabase(
    MemTable memtable,
    WriteAheadLog.@Nullable NumberedLog log,
    CompactionStats stats,
    DBStats.Recovery report) {

  /** Frees the memtable and closes the log of an open that has failed. */
  public void abandon(WriteAheadLog logs) {
    close(log, logs);
    memtable.release();
  }

  static void close(WriteAheadLog.@Nullable NumberedLog log, WriteAheadLog logs) {
    if (log != null) {
      logs.retire(log);
    }
  }
}
