package dev.kv.core.compaction;

import dev.kv.core.key.KeyRange;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Version;
import org.jspecify.annotations.Nullable;

/**
 * The result of a flush.
 *
 * @param table the new table, durable except for its directory entry, or null if the memtable was
 *     empty
 * @param lastSequence the largest sequence number in the table; 0 if the memtable was empty
 * @param stats the time and bytes that it took
 */
public record FlushResult(@Nullable FileMetadata table, long lastSequence, JobStats stats) {

  /** Returns the user key range of the table. Requires that there is a table. */
  public KeyRange keys() {
    FileMetadata file = requireTable();
    return new KeyRange(file.smallestUserKey(), file.largestUserKey());
  }

  /**
   * Returns the level for the new table. Called with {@code version} current and until the install,
   * so that nothing older can be placed above it. In a reserved range it is level 0. If it is not
   * 0, the caller notes it as {@linkplain RunningJobs#occupy occupied} until then.
   */
  public int pickLevel(Version version, RunningJobs running, long maxFileSize) {
    KeyRange keys = keys();
    if (running.isReserved(keys)) {
      return 0;
    }
    return version.pickLevelForMemtableOutput(keys, running::occupied, maxFileSize);
  }

  private FileMetadata requireTable() {
    if (table == null) {
      throw new AssertionError("an empty memtable makes no table");
    }
    return table;
  }
}
