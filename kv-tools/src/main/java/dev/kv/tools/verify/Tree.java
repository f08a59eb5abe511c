package dev.kv.tools.verify;

import dev.kv.CorruptionException;
import dev.kv.UnsupportedFormatException;
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
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The tree of tables as CURRENT and the MANIFEST describe it, read without opening the database:
 * what is damaged is passed over.
 */
public final class Tree {
  private final String manifest;
  private final List<Map<Long, FileMetadata>> levels = new ArrayList<>();
  private @Nullable String comparatorName;
  private long logNumber;
  private long previousLogNumber;
  private long nextFileNumber;
  private long lastSequence;
  private int edits;
  private long damagedAt = -1;

  private Tree(String manifest) {
    this.manifest = manifest;
    for (int level = 0; level < Levels.COUNT; level++) {
      levels.add(new TreeMap<>());
    }
  }

  /**
   * Reads the MANIFEST that CURRENT names; {@link CorruptionException} where CURRENT is damaged.
   */
  public static Tree read(Path directory, Finding.Sink findings) throws IOException {
    String manifest = CurrentFile.read(Env.fileSystem(), directory).manifest();
    return readManifest(directory.resolve(manifest), manifest, findings);
  }

  /** Reads a MANIFEST, which findings call {@code name}. */
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
                "ends in an edit that a crash cut off, "
                    + records.bytesBehindLastRecord()
                    + " bytes"));
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
  String manifest() {
    return manifest;
  }

  /** Returns the number of edits read. */
  int edits() {
    return edits;
  }

  /** Returns the comparator's name, or null where no edit that can be read gives one. */
  @Nullable String comparatorName() {
    return comparatorName;
  }

  /** Returns whether a log of that number counts. */
  boolean isLive(long log) {
    return log >= logNumber || log == previousLogNumber;
  }

  /** Returns the number that the next file gets. */
  long nextFileNumber() {
    return nextFileNumber;
  }

  /** Returns the last sequence number in tables. */
  long lastSequence() {
    return lastSequence;
  }

  /** Returns a level's tables in the order of their first keys, of level 0 by number. */
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
  int tableCount() {
    return levels.stream().mapToInt(Map::size).sum();
  }

  /** Returns how many sequences of tables there are inside which keys ascend. */
  int sortedRuns() {
    int levelsInUse = (int) levels.stream().skip(1).filter(level -> !level.isEmpty()).count();
    return levels.get(0).size() + levelsInUse;
  }

  /** Returns the sum of all tables' sizes. */
  long bytes() {
    return levels.stream()
        .flatMap(level -> level.values().stream())
        .mapToLong(FileMetadata::size)
        .sum();
  }
}
