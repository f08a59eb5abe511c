package dev.kv.tools.verify;

import dev.kv.core.inspect.DatabaseFile;
import dev.kv.core.inspect.ManifestEdit;
import dev.kv.core.inspect.RecordReader;
import dev.kv.core.inspect.StoredKey;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.tools.database.DatabaseFiles;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
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
  /** The text of a finding of edits that are too few for an open. */
  public static final String INCOMPLETE = "its edits do not set all that an open needs";

  private final String manifest;
  private final List<Map<Long, ManifestEdit.NewTable>> levels = new ArrayList<>();
  private long logNumber = ManifestEdit.UNSET;
  private long previousLogNumber;
  private long nextFileNumber = ManifestEdit.UNSET;
  private long lastSequence = ManifestEdit.UNSET;
  private int edits;
  private long damagedAt = -1;

  /** Creates a tree without edits, of a MANIFEST that findings call {@code manifest}. */
  public Tree(String manifest) {
    this.manifest = manifest;
    for (int level = 0; level < DatabaseFile.LEVELS; level++) {
      levels.add(new TreeMap<>());
    }
  }

  /**
   * Reads the MANIFEST that CURRENT names, also if a writer replaces it in the meantime.
   *
   * @throws CorruptionException if CURRENT is damaged
   * @throws java.nio.file.NoSuchFileException if CURRENT or the MANIFEST is missing
   */
  public static Tree read(Path directory, Finding.Sink findings) throws IOException {
    return DatabaseFiles.readManifest(
        directory,
        manifest -> readManifest(manifest, Finding.baseName(manifest.toString()), findings));
  }

  /**
   * Reads it as {@link #read} does, for a command that needs all of it.
   *
   * @throws CorruptionException if CURRENT or the MANIFEST is missing or damaged
   * @throws UnsupportedFormatException if the MANIFEST is of another format
   */
  public static Tree readWhole(Path directory) throws IOException {
    try {
      Tree tree = read(directory, finding -> requireWhole(directory, finding));
      if (!tree.isComplete()) {
        throw damaged(directory, tree.manifest(), CorruptionException.NO_OFFSET, INCOMPLETE);
      }
      return tree;
    } catch (NoSuchFileException missing) {
      String name = Finding.baseName(String.valueOf(missing.getFile()));
      throw damaged(directory, name, CorruptionException.NO_OFFSET, "the file is missing");
    }
  }

  private static void requireWhole(Path directory, Finding finding) {
    switch (finding.kind()) {
      case NOTE -> {}
      case DAMAGED -> throw damaged(directory, finding.file(), finding.offset(), finding.text());
      case UNSUPPORTED -> throw new UnsupportedFormatException(finding.text());
    }
  }

  private static CorruptionException damaged(
      Path directory, String name, long offset, String text) {
    return new CorruptionException(text, directory.resolve(name).toString(), offset);
  }

  /** Reads a MANIFEST that findings call {@code name}. */
  static Tree readManifest(Path file, String name, Finding.Sink findings) throws IOException {
    Tree tree = new Tree(name);
    tree.readEdits(file, findings);
    return tree;
  }

  private void readEdits(Path file, Finding.Sink findings) throws IOException {
    List<Finding> torn = new ArrayList<>(); // damage if an edit follows, else the end
    try (RecordReader records =
        new RecordReader(
            Env.fileSystem(),
            file,
            (offset, bytes, reason, isTorn) -> {
              damagedAt = isTorn ? damagedAt : offset;
              Finding damage = Finding.damage(manifest, offset, reason + ", " + bytes + " bytes");
              if (isTorn) {
                torn.add(damage);
              } else {
                findings.found(damage);
              }
            })) {
      while (records.next()) {
        torn.forEach(findings::found);
        torn.clear();
        try {
          apply(records.edit());
        } catch (CorruptionException e) {
          findings.found(Finding.damage(manifest, e));
        } catch (UnsupportedFormatException e) {
          findings.found(Finding.unsupported(manifest, records.offset(), e));
        }
      }
      Finding end = end(Env.fileSystem(), file, manifest, records, damagedAt);
      if (end != null) {
        findings.found(end);
      }
    }
  }

  /**
   * Judges the end of a MANIFEST that was read up to there. Returns null if it ends with an edit,
   * or its last bytes are reported as damage already.
   *
   * @param name the name that the finding gives to the file
   * @param damagedAt the offset of the last damage that was reported, or -1
   */
  public static @Nullable Finding end(
      Env env, Path file, String name, RecordReader records, long damagedAt) throws IOException {
    long end = records.endOfLastRecord();
    if (records.end() == RecordReader.End.RECORD || damagedAt >= end) {
      return null;
    }
    String damage =
        records.end() == RecordReader.End.TORN ? RecordReader.damageAtEnd(env, file, end) : null;
    return damage == null
        ? Finding.note(
            name,
            end,
            "ends in an edit of " + records.bytesAfterLastRecord() + " bytes that a crash cut off")
        : Finding.damage(name, end, damage);
  }

  /** Applies the next edit. */
  public void apply(ManifestEdit edit) {
    edits++;
    logNumber = later(logNumber, edit.logNumber());
    previousLogNumber = later(previousLogNumber, edit.previousLogNumber());
    nextFileNumber = later(nextFileNumber, edit.nextFileNumber());
    lastSequence = later(lastSequence, edit.lastSequence());
    for (ManifestEdit.DeletedTable deleted : edit.deletedTables()) {
      levels.get(deleted.level()).remove(deleted.number());
    }
    for (ManifestEdit.NewTable added : edit.newTables()) {
      levels.get(added.level()).put(added.number(), added);
    }
  }

  private static long later(long before, long now) {
    return now == ManifestEdit.UNSET ? before : now;
  }

  /** Returns the MANIFEST's name. */
  public String manifest() {
    return manifest;
  }

  /** Returns the number of edits read. */
  public int edits() {
    return edits;
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

  /** Returns the last sequence number that is in tables. */
  public long lastSequence() {
    return lastSequence;
  }

  /** Returns the tables of a level in the order of their first keys; those of level 0 by number. */
  public List<ManifestEdit.NewTable> tables(int level, StoredKey.Order order) {
    List<ManifestEdit.NewTable> tables = new ArrayList<>(levels.get(level).values());
    if (level > 0) {
      tables.sort(Comparator.comparing(ManifestEdit.NewTable::smallest, order));
    }
    return tables;
  }

  /** Returns the numbers of all tables. */
  public Set<Long> tableNumbers() {
    Set<Long> numbers = new HashSet<>();
    levels.forEach(level -> numbers.addAll(level.keySet()));
    return numbers;
  }

  /** Returns the number of all tables. */
  public int tableCount() {
    return levels.stream().mapToInt(Map::size).sum();
  }

  /** Returns the number of sorted runs: each table of level 0, and each deeper level. */
  public int sortedRuns() {
    int levelsInUse = (int) levels.stream().skip(1).filter(level -> !level.isEmpty()).count();
    return levels.get(0).size() + levelsInUse;
  }

  /** Returns the size of all tables in bytes, as the MANIFEST gives it. */
  public long bytes() {
    return levels.stream()
        .flatMap(level -> level.values().stream())
        .mapToLong(ManifestEdit.NewTable::size)
        .sum();
  }
}
