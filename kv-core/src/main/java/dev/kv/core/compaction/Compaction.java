package dev.kv.core.compaction;

import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.KeyRange;
import dev.kv.core.version.Levels;
import dev.kv.core.version.OccupiedRange;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionEdit;
import java.util.List;

/**
 * A compaction to run: tables of one level and those that they overlap in the next, to be replaced
 * by new tables in the next. Immutable. It borrows the version; whoever runs it keeps that held.
 *
 * @param reason why it was picked
 * @param version the version that the inputs are of
 * @param level the upper input level
 * @param inputs the tables of {@code level}
 * @param nextLevelInputs the tables of the level below that overlap {@code inputs}
 * @param grandparents the tables two levels down that overlap all inputs
 * @param keys the user keys that all inputs span
 * @param compactPointer the internal key behind which the level's next compaction begins
 * @param maxFileSize the bytes after which an output is ended
 */
public record Compaction(
    Reason reason,
    Version version,
    int level,
    List<FileMetadata> inputs,
    List<FileMetadata> nextLevelInputs,
    List<FileMetadata> grandparents,
    KeyRange keys,
    byte[] compactPointer,
    long maxFileSize) {

  /** Copies the lists. */
  public Compaction {
    inputs = List.copyOf(inputs);
    nextLevelInputs = List.copyOf(nextLevelInputs);
    grandparents = List.copyOf(grandparents);
  }

  /** Why a compaction was picked. */
  public enum Reason {
    /** The level holds too much. */
    SIZE,
    /** Reads looked into a table in vain too often. */
    SEEK,
    /** The user asked for it. */
    MANUAL
  }

  /** Returns the level that the outputs go to. */
  public int outputLevel() {
    return level + 1;
  }

  /** Returns what the outputs will fill. */
  public OccupiedRange outputRange() {
    return new OccupiedRange(outputLevel(), keys);
  }

  /** Returns the bytes of all inputs. */
  public long inputBytes() {
    return Version.totalSize(inputs) + Version.totalSize(nextLevelInputs);
  }

  /**
   * Returns true if moving the one input down does instead of rewriting it: it overlaps nothing
   * there, and not so much one level deeper that its next compaction would be costly. What the user
   * asked for is always rewritten, so that deleted entries go.
   */
  public boolean isTrivialMove() {
    return reason != Reason.MANUAL
        && inputs.size() == 1
        && nextLevelInputs.isEmpty()
        && Version.totalSize(grandparents) <= Levels.maxGrandparentOverlapBytes(maxFileSize);
  }

  /** Returns the edit of a trivial move. */
  public VersionEdit trivialMoveEdit() {
    FileMetadata file = inputs.get(0);
    return VersionEdit.builder()
        .compactPointer(level, compactPointer)
        .deleteFile(level, file.number())
        .addFile(outputLevel(), file)
        .build();
  }

  /** Returns the edit that replaces the inputs by {@code outputs}. */
  public VersionEdit replacementEdit(List<FileMetadata> outputs) {
    VersionEdit.Builder edit = VersionEdit.builder();
    if (!inputs.isEmpty()) {
      edit.compactPointer(level, compactPointer);
    }
    for (FileMetadata file : inputs) {
      edit.deleteFile(level, file.number());
    }
    for (FileMetadata file : nextLevelInputs) {
      edit.deleteFile(outputLevel(), file.number());
    }
    for (FileMetadata file : outputs) {
      edit.addFile(outputLevel(), file);
    }
    return edit.build();
  }
}
