package dev.kv.core.db;

import dev.kv.core.table.TableCache;
import dev.kv.core.table.format.TableProperties;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An estimate of the number of keys in tables, from their properties. An entry counts one, and a
 * tombstone takes back itself and the entry that it hides. Overwritten keys count more than once
 * until a compaction drops the older versions.
 *
 * <p>In a level with many tables, only some of them are asked, evenly spread. Tables without
 * properties, as C++ LevelDB writes them, are taken to be like the others.
 */
final class KeyEstimate {
  /** The maximum number of tables of a level that are opened for an estimate. */
  private static final int SAMPLE = 128;

  private long keys;
  private long bytes;

  private KeyEstimate() {}

  /** Returns the estimate for all tables, or null if none of those asked has properties. */
  static @Nullable Long inTables(Version version, TableCache tables) {
    KeyEstimate all = new KeyEstimate();
    KeyEstimate[] levels = new KeyEstimate[Levels.COUNT];
    for (int level = 0; level < Levels.COUNT; level++) {
      levels[level] = sample(version.files(level), tables);
      all.keys += levels[level].keys;
      all.bytes += levels[level].bytes;
    }
    long sum = 0;
    for (int level = 0; level < Levels.COUNT; level++) {
      KeyEstimate best = levels[level].bytes > 0 ? levels[level] : all;
      if (best.bytes > 0) {
        sum += Math.round((double) best.keys * version.bytes(level) / best.bytes);
      } else if (version.fileCount(level) > 0) {
        return null;
      }
    }
    return sum;
  }

  private static KeyEstimate sample(List<FileMetadata> files, TableCache tables) {
    KeyEstimate found = new KeyEstimate();
    int asked = Math.min(files.size(), SAMPLE);
    for (int i = 0; i < asked; i++) {
      FileMetadata file = files.get((int) ((long) i * files.size() / asked));
      TableProperties properties = tables.properties(file);
      if (properties != null) {
        found.keys += properties.entries() - 2 * properties.tombstones();
        found.bytes += file.size();
      }
    }
    return found;
  }
}
