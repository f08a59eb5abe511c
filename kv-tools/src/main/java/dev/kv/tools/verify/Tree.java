package dev.kv.tools.verify;

import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.log.LogEnd;
import dev.kv.core.log.LogReader;
import dev.kv.core.log.RecordBuffer;
import dev.kv.core.manifest.CurrentFile;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.version.VersionEditCodec;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.UnsupportedFormatException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The tree of tables that CURRENT and the MANIFEST describe, read without opening the database.
 * Damaged edits are reported and skipped, so the tree of a damaged MANIFEST is incomplete.
 */
public final class Tree {
  private final String manifest;
  private final List<Map<Long, FileMetadata>> levels = new ArrayList<>();
  private @Nullable String comparatorName;
  private long logNumber = VersionEdit.UNSET;
  private long previousLogNumber;
  private long nextFileNumber = VersionEdit.UNSET;
  private long lastSequence = VersionEdit.UNSET;
  private int edits;
  private long damagedAt = -1;

  private Tree(String manifest) {
    this.manifest = manifest;
    for (int level = 0; level < Levels.COUNT; level++) {
      levels.add(new TreeMap<>());
    }
  }

  /**
   * Reads the MANIFEST that CURRENT names.
   *
   * @throws CorruptionException if CURRENT is damaged
   * @throws java.nio.file.NoSuchFileException if CURRENT or the MANIFEST is missing
   */
  public static Tree read(Path directory, Finding.Sink findings) throws IOException {
    String manifest = CurrentFile.read(Env.fileSystem(), directory).manifest();
    return readManifest(directory.resolve(manifest), manifest, findings);
  }

  /** Reads a MANIFEST that findings call {@code name}. */
  static Tree readManifest(Path file, String name, Finding.Sink findings) throws IOException {
    Tree tree = new Tree(name);
    tree.readEdits(file, findings);
    return tree;
  }

  private void readEdits(Path file, Finding.Sink findings) throws IOException {
    String path = file.toString();
    try (LogReader records =
        new LogReader(
            path,
            Env.fileSystem().openSequential(file),
            (offset, bytes, reason, torn) -> {
              damagedAt = offset;
              findings.found(Finding.damage(manifest, offset, reason + ", " + bytes + " bytes"));
            },
            true)) {
      RecordBuffer record = new RecordBuffer();
      while (records.readRecord(record)) {
        long offset = records.lastRecordOffset();
        try {
          apply(VersionEditCodec.decode(record.buffer(), 0, record.length(), path, offset));
        } catch (CorruptionException e) {
          findings.found(Finding.damage(manifest, e));
        } catch (UnsupportedFormatException e) {
          findings.found(Finding.damage(manifest, offset, String.valueOf(e.getMessage())));
        }
      }
      if (records.end() != LogEnd.RECORD && damagedAt < records.endOfLastRecord()) {
        findings.found(
            Finding.note(
                manifest,
                records.endOfLastRecord(),
                "ends in an edit of "
                    + records.bytesAfterLastRecord()
                    + " bytes that a crash cut off"));
      }
    }
  }

  private void apply(VersionEdit edit) {
    edits++;
    comparatorName = edit.comparatorName() == null ? comparatorName : edit.comparatorName();
    logNumber = later(logNumber, edit.logNumber());
    previousLogNumber = later(previousLogNumber, edit.previousLogNumber());
    nextFileNumber = later(nextFileNumber, edit.nextFileNumber());
    lastSequence = later(lastSequence, edit.lastSequence());
    for (VersionEdit.DeletedFile deleted : edit.deletedFiles()) {
      levels.get(deleted.level()).remove(deleted.number());
    }
    for (VersionEdit.NewFile added : edit.newFiles()) {
      levels.get(added.level()).put(added.file().number(), added.file());
    }
  }

  private static long later(long before, long now) {
    return now == VersionEdit.UNSET ? before : now;
  }

  /** Returns the MANIFEST's name. */
  public String manifest() {
    return manifest;
  }

  /** Returns the number of edits read. */
  public int edits() {
    return edits;
  }

  /** Returns the comparator's name, or null if no edit that can be read gives one. */
  @Nullable String comparatorName() {
    return comparatorName;
  }

  /** Returns true if the edits set everything that an open needs. */
  public boolean isComplete() {
    return logNumber >= 0 && nextFileNumber >= 0 && lastSequence >= 0;
  }

  /** Returns the numbers of the logs that must exist. */
  Set<Long> requiredLogs() {
    Set<Long> logs = new TreeSet<>();
    for (long number : new long[] {logNumber, previousLogNumber}) {
      if (number > 0) {
        logs.add(number);
      }
    }
    return logs;
  }

  /** Returns true if an open replays the log with that number. */
  boolean isLive(long log) {
    return log >= logNumber || log == previousLogNumber;
  }

  /** Returns the number of the next file. */
  long nextFileNumber() {
    return nextFileNumber;
  }

  /** Returns the last sequence number that is in tables. */
  public long lastSequence() {
    return lastSequence;
  }

  /** Returns the tables of a level in the order of their first keys; those of level 0 by number. */
  public List<FileMetadata> tables(int level, InternalKeyComparator order) {
    List<FileMetadata> tables = new ArrayList<>(levels.get(level).values());
    if (level > 0) {
      tables.sort(Comparator.comparing(FileMetadata::smallest, order::compare));
    }
    return tables;
  }

  /** Returns the numbers of all tables. */
  Set<Long> tableNumbers() {
    Set<Long> numbers = new HashSet<>();
    levels.forEach(level -> numbers.addAll(level.keySet()));
    return numbers;
  }

  /** Returns the number of all tables. */
  public int tableCount() {
    return levels.stream().mapToInt(Map::size).sum();
  }

  /** Returns the number of sorted runs: each table of level 0, and each deeper level. */
  int sortedRuns() {
    int levelsInUse = (int) levels.stream().skip(1).filter(level -> !level.isEmpty()).count();
    return levels.get(0).size() + levelsInUse;
  }

  /** Returns the size of all tables in bytes, as the MANIFEST gives it. */
  public long bytes() {
    return levels.stream()
        .flatMap(level -> level.values().stream())
        .mapToLong(FileMetadata::size)
        .sum();
  }
}
