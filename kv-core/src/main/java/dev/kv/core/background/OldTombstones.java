package dev.kv.core.background;

import dev.kv.core.manifest.VersionSet;
import dev.kv.core.table.TableCache;
import dev.kv.core.table.format.TableProperties;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import java.time.Instant;
import java.util.ArrayList;
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
    List<FileMetadata> found = new ArrayList<>();
    Version version = versions.acquireCurrent();
    try {
      for (int level = 0; level < Levels.COUNT; level++) {
        for (FileMetadata file : version.files(level)) {
          TableProperties properties = tables.properties(file);
          if (properties == null
              || properties.tombstones() > 0 && properties.writtenAt() <= time.getEpochSecond()) {
            found.add(file);
          }
        }
      }
    } finally {
      version.release();
    }
    return found;
  }

  /** Returns true if a table is in the current version. */
  public boolean isLive(FileMetadata table) {
    boolean[] live = {false};
    Version version = versions.acquireCurrent();
    try {
      version.forEachFileNumber(number -> live[0] |= number == table.number());
    } finally {
      version.release();
    }
    return live[0];
  }
}
