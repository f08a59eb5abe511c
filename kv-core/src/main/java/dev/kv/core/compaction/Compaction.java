package dev.kv.core.compaction;

import dev.kv.core.key.KeyRange;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionEdit;
import java.util.List;
import java.util.stream.Stream;

/**
 * A compaction to run. It replaces tables of one level, and the tables of the next level that they
 * overlap, by new tables in the next level; or it rewrites tables in their own level. Immutable. It
 * borrows the version: the caller holds a reference to it while the compaction runs.
 *
 * @param reason the reason why it was picked
 * @param version the version that contains the inputs
 * @param level the level of the inputs
 * @param outputLevel the level of the outputs: the next one, or {@code level} for a rewrite in
 *     place
 * @param tables the inputs and the tables below them
 * @param keys the user keys that all inputs span
 * @param compactPointer the internal key after which the next compaction of the level begins
 * @param maxFileSize the size in bytes after which an output table is ended
 */
public record Compaction(
    Reason reason,
    Version version,
    int level,
    int outputLevel,
    Tables tables,
    KeyRange keys,
    byte[] compactPointer,
    long maxFileSize) {

  /**
   * The tables of a compaction.
   *
   * @param inputs those of the level
   * @param nextLevelInputs those of the next level that overlap {@code inputs}; none for a rewrite
   *     in place
   * @param grandparents those of the level below the output level that overlap the inputs
   */
  public record Tables(
      List<FileMetadata> inputs,
      List<FileMetadata> nextLevelInputs,
      List<FileMetadata> grandparents) {
    /** Copies the lists. */
    public Tables {
      inputs = List.copyOf(inputs);
      nextLevelInputs = List.copyOf(nextLevelInputs);
      grandparents = List.copyOf(grandparents);
    }
  }

  /** The reason why a compaction was picked. */
  public enum Reason {
    /** The level is too large. */
    SIZE,
    /** Reads searched a table too often without finding a key. */
    SEEK,
    /** A table has many tombstones. */
    TOMBSTONES,
    /** The user asked for it. */
    MANUAL
  }

  /** Returns the tables of the level. */
  public List<FileMetadata> inputs() {
    return tables.inputs();
  }

  /** Returns the tables of the next level. */
  public List<FileMetadata> nextLevelInputs() {
    return tables.nextLevelInputs();
  }

  /** Returns the tables of both levels. */
  public List<FileMetadata> allInputs() {
    return Stream.concat(inputs().stream(), nextLevelInputs().stream()).toList();
  }

  /** Returns the tables of the level below the output level. */
  public List<FileMetadata> grandparents() {
    return tables.grandparents();
  }

  /** Returns true if the tables are rewritten in their own level. */
  public boolean isRewrite() {
    return outputLevel == level;
  }

  /** Returns the bytes of all inputs. */
  public long inputBytes() {
    return Version.totalSize(allInputs());
  }

  /**
   * Returns true if the single input can be moved to the next level without rewriting it: it
   * overlaps no table there, and not so many bytes one level deeper that its next compaction would
   * be expensive. A manual compaction always rewrites its inputs, so that it drops deleted entries.
   * So does one of a table with many tombstones, once there is nothing to merge it with.
   */
  public boolean isTrivialMove() {
    return reason != Reason.MANUAL
        && (reason != Reason.TOMBSTONES || !tables.grandparents().isEmpty())
        && tables.inputs().size() == 1
        && tables.nextLevelInputs().isEmpty()
        && Version.totalSize(tables.grandparents())
            <= Levels.maxGrandparentOverlapBytes(maxFileSize);
  }

  /** Returns the edit of a trivial move. */
  public VersionEdit trivialMoveEdit() {
    FileMetadata file = tables.inputs().get(0);
    return VersionEdit.builder()
        .compactPointer(level, compactPointer)
        .deleteFile(level, file.number())
        .addFile(outputLevel(), file)
        .build();
  }

  /** Returns the edit that replaces the inputs by {@code outputs}. */
  public VersionEdit replacementEdit(List<FileMetadata> outputs) {
    VersionEdit.Builder edit = VersionEdit.builder();
    if (!isRewrite()) {
      edit.compactPointer(level, compactPointer);
    }
    for (FileMetadata file : tables.inputs()) {
      edit.deleteFile(level, file.number());
    }
    for (FileMetadata file : tables.nextLevelInputs()) {
      edit.deleteFile(outputLevel(), file.number());
    }
    for (FileMetadata file : outputs) {
      edit.addFile(outputLevel(), file);
    }
    return edit.build();
  }
}
