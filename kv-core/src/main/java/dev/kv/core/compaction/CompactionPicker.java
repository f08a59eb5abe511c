package dev.kv.core.compaction;

import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyRange;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.LevelScores;
import dev.kv.core.version.Levels;
import dev.kv.core.version.SeekCandidate;
import dev.kv.core.version.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Picks the next compaction: first in the level with the highest score, then for a table with many
 * tombstones, then for a table that was searched too often without success. The same arguments
 * always give the same choice. Immutable.
 *
 * <p>In a full level the candidates are the tables after the end of the level's last compaction.
 * The picker chooses the one that rewrites the fewest bytes of the next level relative to its size.
 * C++ LevelDB takes the first candidate; this choice writes about a tenth fewer bytes if keys are
 * overwritten at random.
 */
public final class CompactionPicker {
  /**
   * The maximum number of candidates. The bound makes the cost of a choice independent of the size
   * of the level.
   */
  private static final int CANDIDATES = 64;

  private final long maxFileSize;
  private final boolean seekCompaction;

  /**
   * Creates a picker.
   *
   * @param maxFileSize the size in bytes after which an output table is ended
   * @param seekCompaction whether seeks may cause a compaction
   */
  public CompactionPicker(long maxFileSize, boolean seekCompaction) {
    this.maxFileSize = maxFileSize;
    this.seekCompaction = seekCompaction;
  }

  /**
   * Returns the compaction to run next, in parallel with the running jobs, or null if none is due
   * or none can run now.
   *
   * @param compactPointers for each level, the internal key after which to begin, or null
   */
  public @Nullable Compaction pick(
      Version version, RunningJobs running, List<byte @Nullable []> compactPointers) {
    LevelScores scores = running.scores(version);
    for (int level : scores.ranking()) {
      if (scores.score(level) < 1) {
        break;
      }
      Compaction compaction = pickForSize(version, running, level, compactPointers.get(level));
      if (compaction != null) {
        return compaction;
      }
    }
    Compaction compaction = pickForTombstones(version, running);
    return compaction == null && seekCompaction ? pickForSeeks(version, running) : compaction;
  }

  /**
   * Picks a table with many tombstones. Its compaction goes one level down. The tombstones that are
   * left mark an output in turn, until they meet what they hide at the bottom.
   */
  private @Nullable Compaction pickForTombstones(Version version, RunningJobs running) {
    if (running.withTombstones().isEmpty()) {
      return null;
    }
    List<FileMetadata> present = new ArrayList<>();
    Compaction first = null;
    for (int level = 0; level < Levels.COUNT - 1; level++) {
      for (FileMetadata file : version.files(level)) {
        if (running.withTombstones().contains(file)) {
          present.add(file);
          if (first == null) {
            first = compactionOf(Compaction.Reason.TOMBSTONES, version, running, level, file);
          }
        }
      }
    }
    running.keepMarked(present);
    return first;
  }

  private @Nullable Compaction pickForSize(
      Version version, RunningJobs running, int level, byte @Nullable [] pointer) {
    List<FileMetadata> files = version.files(level);
    return level == 0
        ? pickOldest(version, running, files)
        : pickCheapest(version, running, level, firstAfter(version, files, pointer));
  }

  /** Picks the oldest table that can be compacted, because older entries must move down first. */
  private @Nullable Compaction pickOldest(
      Version version, RunningJobs running, List<FileMetadata> files) {
    for (int i = files.size() - 1; i >= 0; i--) {
      Compaction compaction =
          compactionOf(Compaction.Reason.SIZE, version, running, 0, files.get(i));
      if (compaction != null) {
        return compaction;
      }
    }
    return null;
  }

  /**
   * Picks the cheapest candidate, starting at {@code first} and wrapping around at the end of the
   * level.
   */
  private @Nullable Compaction pickCheapest(
      Version version, RunningJobs running, int level, int first) {
    List<FileMetadata> files = version.files(level);
    Compaction cheapest = null;
    double lowest = Double.POSITIVE_INFINITY;
    for (int i = 0; i < files.size() && (i < CANDIDATES || cheapest == null); i++) {
      FileMetadata file = files.get((first + i) % files.size());
      double rewritten = overlapPerByte(version, level, file);
      if (rewritten < lowest) {
        Compaction compaction = compactionOf(Compaction.Reason.SIZE, version, running, level, file);
        if (compaction != null) {
          cheapest = compaction;
          lowest = rewritten;
        }
      }
    }
    return cheapest;
  }

  /** Returns the number of bytes of the next level that are rewritten per byte of the table. */
  private static double overlapPerByte(Version version, int level, FileMetadata file) {
    List<FileMetadata> below = version.overlapping(level + 1, file.userKeys());
    return (double) Version.totalSize(below) / file.size();
  }

  private static int firstAfter(
      Version version, List<FileMetadata> files, byte @Nullable [] pointer) {
    InternalKeyComparator comparator = version.comparator();
    for (int i = 0; pointer != null && i < files.size(); i++) {
      if (comparator.compare(files.get(i).largest(), pointer) > 0) {
        return i;
      }
    }
    return 0;
  }

  private @Nullable Compaction pickForSeeks(Version version, RunningJobs running) {
    SeekCandidate candidate = version.seekCandidate();
    return candidate == null || candidate.level() == Levels.COUNT - 1
        ? null
        : compactionOf(
            Compaction.Reason.SEEK, version, running, candidate.level(), candidate.file());
  }

  private @Nullable Compaction compactionOf(
      Compaction.Reason reason,
      Version version,
      RunningJobs running,
      int level,
      FileMetadata file) {
    if (running.isBusy(file)) {
      return null;
    }
    List<FileMetadata> picked =
        level == 0 ? version.overlapping(0, file.userKeys()) : List.of(file);
    Compaction compaction = new InputSelector(version, maxFileSize).select(reason, level, picked);
    return running.conflicts(compaction) || running.needsSetAside(compaction) ? null : compaction;
  }

  /**
   * Returns the next step of a manual compaction of the tables of {@code level} that overlap the
   * user keys of {@code range}. From level 1 on, a step takes a limited number of tables; the next
   * step begins at {@link ManualPick#nextBegin}.
   */
  public ManualPick pickManual(Version version, RunningJobs running, int level, KeyRange range) {
    if (level < 0 || level >= Levels.COUNT - 1) {
      throw new IllegalArgumentException("no compaction begins at level " + level);
    }
    List<FileMetadata> files = version.overlapping(level, range);
    if (files.isEmpty()) {
      return ManualPick.NOTHING;
    }
    List<FileMetadata> picked = level == 0 ? files : head(files);
    Compaction compaction =
        new InputSelector(version, maxFileSize).select(Compaction.Reason.MANUAL, level, picked);
    boolean more = picked.size() < files.size();
    return running.conflicts(compaction)
        ? ManualPick.BLOCKED
        : new ManualPick(
            compaction, false, more ? picked.get(picked.size() - 1).largestUserKey() : null);
  }

  /**
   * Returns the next step of a manual compaction that rewrites tables of a level in place, to drop
   * entries that no reader can see. It takes tables with the given numbers that overlap the user
   * keys of {@code range}, up to the first one without such a number, and the boundary files that
   * must be rewritten with them. Only for levels from 1 on; otherwise like {@link #pickManual}.
   */
  public ManualPick pickRewrite(
      Version version, RunningJobs running, int level, KeyRange range, Set<Long> numbers) {
    List<FileMetadata> files = version.overlapping(level, range);
    int from = next(files, 0, numbers, true);
    if (from == files.size()) {
      return ManualPick.NOTHING;
    }
    List<FileMetadata> picked = head(files.subList(from, next(files, from, numbers, false)));
    Compaction compaction = new InputSelector(version, maxFileSize).selectRewrite(level, picked);
    int after = next(files, from + picked.size(), numbers, true);
    return running.conflicts(compaction)
        ? ManualPick.BLOCKED
        : new ManualPick(
            compaction, false, after < files.size() ? files.get(after).smallestUserKey() : null);
  }

  /** Returns the index of the next table whose number is in a set, or is not, or the size. */
  private static int next(List<FileMetadata> files, int from, Set<Long> numbers, boolean inSet) {
    int at = from;
    while (at < files.size() && numbers.contains(files.get(at).number()) != inSet) {
      at++;
    }
    return at;
  }

  /** Returns the first tables, at least one, up to the size limit of a widened compaction. */
  private List<FileMetadata> head(List<FileMetadata> files) {
    List<FileMetadata> head = new ArrayList<>();
    long bytes = 0;
    for (FileMetadata file : files) {
      head.add(file);
      bytes += file.size();
      if (bytes >= Levels.expandedCompactionBytes(maxFileSize)) {
        break;
      }
    }
    return head;
  }
}
