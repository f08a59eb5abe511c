package dev.kv.core.background;

import dev.kv.core.compaction.Compaction;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.table.TableCache;
import dev.kv.core.table.format.TableProperties;
import dev.kv.core.version.FileMetadata;
import java.time.Instant;
import java.util.List;

/** Finds tables that were written long ago and have tombstones. Thread-safe. */
public final class OldTombstones {
  private final VersionSet versions;
  private final TableCache tables;

  /** Creates the object for one open database. */
  public OldTombstones(VersionSet versions, TableCache tables) {
    this.versions = versions;
    this.tables = tables;
  }

  /**
   * Returns the tables of the current version that have tombstones, or may have some, and were
   * written at {@code time} or before, or at an unknown time.
   */
  public List<FileMetadata> writtenUntil(Instant time) {
    long second = time.getEpochSecond();
    return versions.withCurrent(
        version -> version.files().stream().filter(file -> isOld(file, second)).toList());
  }

  private boolean isOld(FileMetadata file, long second) {
    TableProperties properties = tables.properties(file);
    return properties == null || properties.tombstones() > 0 && properties.writtenAt() <= second;
  }

  /**
   * Returns the time for the properties of a compaction's outputs, in seconds since 1970: that of
   * the oldest input with tombstones, so that the age of a delete does not begin again.
   *
   * @param now the time if no input has tombstones
   * @return the time; 0 if it is unknown
   */
  static long writtenAt(Compaction compaction, TableCache tables, long now) {
    long oldest = now;
    for (FileMetadata file : compaction.allInputs()) {
      TableProperties properties = tables.properties(file);
      if (properties == null) {
        return 0;
      } else if (properties.tombstones() > 0) {
        oldest = Math.min(oldest, properties.writtenAt());
      }
    }
    return oldest;
  }

  /** Returns true if a table is in the current version. */
  public boolean isLive(FileMetadata table) {
    return versions.withCurrent(
        version -> version.files().stream().anyMatch(file -> file.number() == table.number()));
  }
}
