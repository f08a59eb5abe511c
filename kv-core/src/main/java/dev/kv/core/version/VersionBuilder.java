package dev.kv.core.version;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.errors.CorruptionException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Applies edits to a version and builds the next one. The result is checked: each table is added
 * once and begins before it ends, and from level 1 on tables do not overlap. If a check fails, it
 * throws a {@link CorruptionException} for the MANIFEST. Not thread-safe.
 *
 * <p>The deletion of a table that does not exist is accepted, because old versions of LevelDB could
 * log an edit twice.
 */
public final class VersionBuilder {
  private final InternalKeyComparator comparator;
  private final Version base;
  private final String source;
  // For each level that an edit changed, its tables by number; the other levels are the base's.
  private final List<@Nullable Map<Long, FileMetadata>> touched = new ArrayList<>();
  // The level of every table in a changed level.
  private final Map<Long, Integer> levelOfFile = new HashMap<>();
  // The tables of level 0 that are known to be flushed memtables; complete once the level is
  // changed.
  private final Set<Long> flushed = new HashSet<>();

  /**
   * Starts from {@code base}, which is borrowed; {@code source} is the name of the MANIFEST, for
   * messages.
   */
  public VersionBuilder(Version base, String source) {
    this.comparator = base.comparator();
    this.base = base;
    this.source = source;
    for (int level = 0; level < Levels.COUNT; level++) {
      touched.add(null);
    }
  }

  /**
   * Applies an edit: first its deletions, then its additions. Tables that it adds to level 0 are
   * flushed memtables.
   */
  public void apply(VersionEdit edit) {
    apply(edit, true);
  }

  /**
   * Applies an edit like {@link #apply(VersionEdit)}, except that the tables it adds to level 0 may
   * be of any age.
   */
  public void applyOfUnknownAge(VersionEdit edit) {
    apply(edit, false);
  }

  private void apply(VersionEdit edit, boolean flushes) {
    for (VersionEdit.DeletedFile deleted : edit.deletedFiles()) {
      if (touch(deleted.level()).remove(deleted.number()) != null) {
        levelOfFile.remove(deleted.number());
      }
    }
    for (VersionEdit.NewFile added : edit.newFiles()) {
      add(added.level(), added.file());
      if (added.level() == 0 && flushes) {
        flushed.add(added.file().number());
      } else {
        flushed.remove(added.file().number());
      }
    }
  }

  /** Replaces the metadata of a table, which must exist, by other metadata of the same keys. */
  public void replace(FileMetadata file) {
    touch(levelOf(file.number())).put(file.number(), file);
  }

  private void add(int level, FileMetadata file) {
    if (comparator.compare(file.smallest(), file.largest()) > 0) {
      throw corruption("table " + file.number() + " ends before it begins");
    }
    int other = levelOf(file.number());
    if (other >= 0) {
      throw corruption(
          "table " + file.number() + " is added to level " + level + " but is in level " + other);
    }
    touch(level).put(file.number(), file);
    levelOfFile.put(file.number(), level);
  }

  private Map<Long, FileMetadata> touch(int level) {
    Map<Long, FileMetadata> files = touched.get(level);
    if (files == null) {
      files = new HashMap<>();
      for (int i = 0; i < base.fileCount(level); i++) {
        FileMetadata file = base.file(level, i);
        files.put(file.number(), file);
        levelOfFile.put(file.number(), level);
        if (level == 0 && base.isFlushed(i)) {
          flushed.add(file.number());
        }
      }
      touched.set(level, files);
    }
    return files;
  }

  private int levelOf(long number) {
    Integer level = levelOfFile.get(number);
    if (level != null) {
      return level;
    }
    for (int i = 0; i < Levels.COUNT; i++) {
      if (touched.get(i) == null) {
        for (FileMetadata file : base.files(i)) {
          if (file.number() == number) {
            return i;
          }
        }
      }
    }
    return -1;
  }

  /** Returns the next version, owned by the caller; {@code whenFree} is called when it is freed. */
  public Version build(Consumer<Version> whenFree) {
    LevelFiles[] levels = new LevelFiles[Levels.COUNT];
    for (int level = 0; level < Levels.COUNT; level++) {
      Map<Long, FileMetadata> files = touched.get(level);
      levels[level] = files == null ? base.level(level) : sorted(level, files);
    }
    return new Version(comparator, levels, whenFree);
  }

  private LevelFiles sorted(int level, Map<Long, FileMetadata> byNumber) {
    FileMetadata[] files = byNumber.values().toArray(new FileMetadata[0]);
    if (level == 0) {
      Arrays.sort(files, Comparator.comparingLong(FileMetadata::number).reversed());
      boolean[] known = new boolean[files.length];
      for (int i = 0; i < files.length; i++) {
        known[i] = flushed.contains(files[i].number());
      }
      return new LevelFiles(comparator, files, known);
    }
    Arrays.sort(
        files,
        Comparator.comparing(FileMetadata::smallest, comparator::compare)
            .thenComparingLong(FileMetadata::number));
    checkDisjoint(level, files);
    return new LevelFiles(comparator, files);
  }

  private void checkDisjoint(int level, FileMetadata[] files) {
    for (int i = 1; i < files.length; i++) {
      FileMetadata before = files[i - 1];
      if (comparator.compare(before.largest(), files[i].smallest()) >= 0) {
        throw corruption(
            "tables "
                + before.number()
                + " and "
                + files[i].number()
                + " of level "
                + level
                + " overlap: the one ends at "
                + InternalKey.describe(before.largest())
                + ", the other begins at "
                + InternalKey.describe(files[i].smallest()));
      }
    }
  }

  private CorruptionException corruption(String message) {
    return new CorruptionException(message, source, CorruptionException.NO_OFFSET);
  }
}
