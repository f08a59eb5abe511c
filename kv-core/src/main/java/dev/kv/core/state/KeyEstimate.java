package dev.kv.core.state;

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
 * <p>In a level with many tables, only some of them are asked, evenly spread. If tables without
 * properties, as C++ LevelDB writes them, hold more than a twentieth of the bytes, there is no
 * estimate; otherwise they are taken to be like the others.
 */
final class KeyEstimate {
  /** The maximum number of tables of a level that are opened for an estimate. */
  private static final int SAMPLE = 128;

  /** The least part of the bytes of all tables that tables with properties hold. */
  private static final double COVERED = 0.95;

  private long keys;
  private long bytes;
  private long askedBytes;

  private KeyEstimate() {}

  /** Returns the estimate for all tables, or null if too many tables have no properties. */
  static @Nullable Long inTables(Version version, TableCache tables) {
    double keys = 0;
    double covered = 0;
    long bytes = 0;
    for (int level = 0; level < Levels.COUNT; level++) {
      KeyEstimate found = sample(version.files(level), tables);
      if (found.bytes > 0) {
        double asked = (double) version.bytes(level) / found.askedBytes;
        keys += found.keys * asked;
        covered += found.bytes * asked;
      }
      bytes += version.bytes(level);
    }
    if (bytes == 0) {
      return 0L;
    }
    return covered < COVERED * bytes ? null : Math.round(keys * bytes / covered);
  }

  private static KeyEstimate sample(List<FileMetadata> files, TableCache tables) {
    KeyEstimate found = new KeyEstimate();
    int asked = Math.min(files.size(), SAMPLE);
    for (int i = 0; i < asked; i++) {
      FileMetadata file = files.get((int) ((long) i * files.size() / asked));
      TableProperties properties = tables.properties(file);
      found.askedBytes += file.size();
      if (properties != null) {
        found.keys += properties.entries() - 2 * properties.tombstones();
        found.bytes += file.size();
      }
    }
    return found;
  }
}
