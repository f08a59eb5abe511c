package dev.kv.core.compaction;

import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyRange;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Selects all inputs of a compaction: the tables picked, and every table that must be compacted
 * with them.
 *
 * <p>Two rules are required for correctness. Level 0: the tables overlap. If a table moved down
 * without an older table that it overlaps, the older entries would hide the newer ones; so the
 * version's search for overlapping tables grows its range. Boundary files: the entries of one user
 * key may span two tables. If the first table moved down without the second, the older entries in
 * the second would hide those in the first; so a table that begins with the last user key of
 * another is compacted with it.
 */
final class InputSelector {
  private final InternalKeyComparator comparator;
  private final UserKeyComparator userComparator;
  private final Version version;
  private final long maxFileSize;

  InputSelector(Version version, long maxFileSize) {
    this.comparator = version.comparator();
    this.userComparator = comparator.userComparator();
    this.version = version;
    this.maxFileSize = maxFileSize;
  }

  /**
   * Returns the compaction of {@code picked}, which is not empty, and all tables that belong to it.
   */
  Compaction select(Compaction.Reason reason, int level, List<FileMetadata> picked) {
    List<FileMetadata> inputs = withBoundaryFiles(level, picked);
    List<FileMetadata> next = nextLevelInputs(level, inputs);
    if (!next.isEmpty()) {
      List<FileMetadata> wider = widened(level, inputs, next);
      if (wider != null) {
        inputs = wider;
      }
    }
    return compaction(reason, level, level + 1, inputs, next);
  }

  /**
   * Returns the compaction that rewrites {@code picked}, which is not empty, in its own level.
   * Requires that no other table of the level lies between them, because the outputs could overlap
   * it.
   */
  Compaction selectRewrite(int level, List<FileMetadata> picked) {
    return compaction(
        Compaction.Reason.MANUAL, level, level, withBoundaryFiles(level, picked), List.of());
  }

  private Compaction compaction(
      Compaction.Reason reason,
      int level,
      int outputLevel,
      List<FileMetadata> inputs,
      List<FileMetadata> next) {
    KeyRange all = rangeOf(inputs, next);
    List<FileMetadata> grandparents =
        outputLevel + 1 < Levels.COUNT ? version.overlapping(outputLevel + 1, all) : List.of();
    return new Compaction(
        reason,
        version,
        level,
        outputLevel,
        new Compaction.Tables(inputs, next, grandparents),
        all,
        largestKey(inputs),
        maxFileSize);
  }

  private List<FileMetadata> nextLevelInputs(int level, List<FileMetadata> inputs) {
    KeyRange range = rangeOf(inputs, List.of());
    return withBoundaryFiles(level + 1, version.overlapping(level + 1, range));
  }

  /**
   * Returns the inputs with more tables of the level, if that adds no tables of the next level; or
   * null if there are no more tables or the compaction would become too large.
   */
  private @Nullable List<FileMetadata> widened(
      int level, List<FileMetadata> inputs, List<FileMetadata> next) {
    KeyRange all = rangeOf(inputs, next);
    List<FileMetadata> wider = withBoundaryFiles(level, version.overlapping(level, all));
    boolean fits =
        wider.size() > inputs.size()
            && Version.totalSize(next) + Version.totalSize(wider)
                < Levels.expandedCompactionBytes(maxFileSize);
    return fits && nextLevelInputs(level, wider).size() == next.size() ? wider : null;
  }

  /** Returns {@code files} and their boundary files. */
  List<FileMetadata> withBoundaryFiles(int level, List<FileMetadata> files) {
    if (files.isEmpty()) {
      return files;
    }
    List<FileMetadata> all = new ArrayList<>(files);
    byte[] largest = largestKey(all);
    FileMetadata boundary = boundaryFile(level, largest);
    while (boundary != null) {
      all.add(boundary);
      largest = boundary.largest();
      boundary = boundaryFile(level, largest);
    }
    return all;
  }

  /**
   * Returns the first table that begins after {@code largest} if it begins with the same user key;
   * otherwise null.
   */
  private @Nullable FileMetadata boundaryFile(int level, byte[] largest) {
    return version.files(level).stream()
        .filter(file -> comparator.compare(file.smallest(), largest) > 0)
        .min(Comparator.comparing(FileMetadata::smallest, comparator::compare))
        .filter(first -> comparator.compareUserKeys(first.smallest(), largest) == 0)
        .orElse(null);
  }

  private byte[] largestKey(List<FileMetadata> files) {
    return Collections.max(files, Comparator.comparing(FileMetadata::largest, comparator::compare))
        .largest();
  }

  private KeyRange rangeOf(List<FileMetadata> first, List<FileMetadata> second) {
    KeyRange range = first.get(0).userKeys();
    for (List<FileMetadata> files : List.of(first, second)) {
      for (FileMetadata file : files) {
        range = range.with(userComparator, file.userKeys());
      }
    }
    return range;
  }
}
