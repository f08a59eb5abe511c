package dev.kv.core.background;

import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.table.TableCache;
import dev.kv.core.table.format.TableProperties;
import dev.kv.core.version.FileMetadata;
import dev.kv.errors.CorruptionException;
import java.time.Instant;
import java.util.List;

/** Finds tables that were written long ago and have tombstones. Thread-safe. */
public final class OldTombstones {
  private final VersionSet versions;
  private final TableCache tables;
  private final UserKeyComparator order;

  /** Creates the object for one open database. */
  public OldTombstones(VersionSet versions, TableCache tables, UserKeyComparator order) {
    this.versions = versions;
    this.tables = tables;
    this.order = order;
  }

  /**
   * Returns the tables of the current version that have tombstones, or may have some, and were
   * written at {@code time} or before, or at an unknown time. A time after the present one was
   * taken from a wrong clock, and is unknown, too.
   */
  public List<FileMetadata> writtenUntil(Instant time) {
    return writtenUntil(time, Instant.now());
  }

  List<FileMetadata> writtenUntil(Instant time, Instant now) {
    long second = time.getEpochSecond();
    long present = now.getEpochSecond();
    return versions.withCurrent(
        version -> version.files().stream().filter(file -> isOld(file, second, present)).toList());
  }

  private boolean isOld(FileMetadata file, long second, long present) {
    TableProperties properties;
    try {
      properties = tables.properties(file);
    } catch (CorruptionException e) {
      return true; // the compaction that reads it reports what is wrong
    }
    return properties == null
        || properties.tombstones() > 0
            && (properties.writtenAt() <= second || properties.writtenAt() > present);
  }

  /**
   * Returns true if a table, or what a compaction has made of it, may still have tombstones of that
   * age.
   */
  public boolean isLeft(FileMetadata table, Instant time) {
    return isLive(table)
        || writtenUntil(time).stream()
            .anyMatch(found -> found.userKeys().overlaps(order, table.userKeys()));
  }

  private boolean isLive(FileMetadata table) {
    return versions.withCurrent(
        version -> version.files().stream().anyMatch(file -> file.number() == table.number()));
  }
}
