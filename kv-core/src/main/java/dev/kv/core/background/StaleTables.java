package dev.kv.core.background;

import dev.kv.Options;
import dev.kv.core.cache.CacheHandle;
import dev.kv.core.key.KeyRange;
import dev.kv.core.table.Table;
import dev.kv.core.table.TableCache;
import dev.kv.core.table.format.TableProperties;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import java.util.HashSet;
import java.util.Set;

/**
 * Finds the tables that are not as a manual compaction would write them. It leaves the others: they
 * have nothing to drop. Thread-safe.
 *
 * <p>A table is left only if all of this holds:
 *
 * <ol>
 *   <li>There is no compaction filter, which would have to see the entries.
 *   <li>Its properties say that it has no tombstones, and one entry for each user key. Tables of
 *       C++ LevelDB have no properties.
 *   <li>It has the compression that new tables get, and a filter if they get one.
 *   <li>It is neither small nor large: small tables are merged, and large ones are divided.
 * </ol>
 */
public final class StaleTables {
  /** A table is small if it is smaller than the maximum size of a file divided by this. */
  private static final int SMALL_SHARE = 4;

  /** A table is large if it is larger than so many times the maximum size of a file. */
  private static final int LARGE_FACTOR = 2;

  private final TableCache tables;
  private final Options options;

  /** Creates the object for one open database. */
  public StaleTables(TableCache tables, Options options) {
    this.tables = tables;
    this.options = options;
  }

  /**
   * Returns the numbers of the stale tables of a version from level 1 on that hold user keys of the
   * range. Opens all tables of the range.
   *
   * @param newest the number up to which tables are considered
   */
  public Set<Long> find(Version version, long newest, KeyRange range) {
    Set<Long> found = new HashSet<>();
    for (int level = 1; level < Levels.COUNT; level++) {
      for (FileMetadata file : version.overlapping(level, range)) {
        if (file.number() <= newest && isStale(file)) {
          found.add(file.number());
        }
      }
    }
    return found;
  }

  private boolean isStale(FileMetadata file) {
    if (options.compaction().filter() != null
        || file.size() < options.maxFileSize() / SMALL_SHARE
        || file.size() / LARGE_FACTOR > options.maxFileSize()) {
      return true;
    }
    try (CacheHandle<Table> table = tables.acquire(file)) {
      TableProperties properties = table.value().properties();
      return properties == null
          || !properties.hasOnlyLiveEntries()
          || properties.compression() != options.compression().code()
          || (options.filterPolicy() != null && !table.value().hasFilter());
    } catch (CorruptionException | DBIOException e) {
      return true; // the compaction that reads it reports what is wrong
    }
  }
}
