package dev.kv.core.manifest;

import dev.kv.bytes.Escape;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.log.LogEnd;
import dev.kv.core.log.LogReader;
import dev.kv.core.log.LogTail;
import dev.kv.core.log.RecordBuffer;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionBuilder;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.version.VersionEditCodec;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.UnsupportedFormatException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads CURRENT and the MANIFEST that it names. Writes nothing.
 *
 * <p>A crash can tear only the last record, because each edit is synced before the next one is
 * written. So a torn record is treated as the end of the MANIFEST if {@link LogTail} says that an
 * interrupted write explains it. All other damage throws {@link CorruptionException}.
 *
 * <p>A MANIFEST begins with its base: the whole state, and the edit that it was begun for. It gets
 * further edits only after CURRENT names it. So if a later MANIFEST has edits after its base,
 * CURRENT is wrong; with the base alone, a crash came before the rename.
 *
 * <p>A table that a record after the first one adds to level 0, together with a log number, is a
 * flushed memtable, whether kv or C++ LevelDB wrote it. The tables of level 0 in the first record
 * may be of any age: a repair by C++ LevelDB puts all tables there, and a new MANIFEST of C++
 * LevelDB lists all that were in level 0 before.
 */
final class ManifestReader implements LogReader.Reporter {
  private final ManifestContext context;
  private final CurrentFile current;
  private final String file;
  private final VersionBuilder builder;
  private final List<byte @Nullable []> compactPointers =
      new ArrayList<>(Collections.nCopies(Levels.COUNT, null));
  private long logNumber = VersionEdit.UNSET;
  private long previousLogNumber = VersionEdit.UNSET;
  private long nextFileNumber = VersionEdit.UNSET;
  private long lastSequence = VersionEdit.UNSET;
  private boolean first = true;
  private long tornAt = -1;
  private String tornReason = "";

  private ManifestReader(ManifestContext context, CurrentFile current, Version empty) {
    this.context = context;
    this.current = current;
    this.file = context.directory().resolve(current.manifest()).toString();
    this.builder = new VersionBuilder(empty, file);
  }

  /**
   * Returns the state that the MANIFEST describes.
   *
   * @param whenFree called when the last owner releases the version
   */
  static RecoveredManifest read(ManifestContext context, Consumer<Version> whenFree) {
    Path directory = context.directory();
    try {
      CurrentFile current = CurrentFile.read(context.env(), directory);
      while (true) {
        try {
          String later = laterInUse(context, current.number());
          CurrentFile now = CurrentFile.read(context.env(), directory);
          if (later != null && now.equals(current)) {
            throw wrongCurrent(directory, current, ", and " + later + " was in use after it", null);
          }
          current = now;
          Version empty = Version.empty(context.comparator(), version -> {});
          return new ManifestReader(context, current, empty).read(whenFree);
        } catch (NoSuchFileException e) {
          // A writer beside a read-only open may have replaced the MANIFEST meanwhile.
          CurrentFile now = CurrentFile.read(context.env(), directory);
          if (now.equals(current)) {
            throw wrongCurrent(directory, current, ", which is not there", e);
          }
          current = now;
        }
      }
    } catch (IOException e) {
      throw new DBIOException("cannot read the MANIFEST in " + directory + ": " + e, e);
    }
  }

  private static CorruptionException wrongCurrent(
      Path directory, CurrentFile current, String why, @Nullable Throwable cause) {
    return new CorruptionException(
        "CURRENT names "
            + current.manifest()
            + why
            + "; DB.repair rebuilds the database from the files",
        FileNames.current(directory).toString(),
        0,
        cause);
  }

  /**
   * Returns the name of a MANIFEST with a higher number that has edits after its base, or null if
   * there is none.
   */
  private static @Nullable String laterInUse(ManifestContext context, long number)
      throws IOException {
    for (FileName file : FileNames.list(context.env(), context.directory())) {
      if (file.kind() == FileName.Kind.MANIFEST
          && file.number() > number
          && hasEditsAfterBase(context, context.directory().resolve(file.text()))) {
        return file.text();
      }
    }
    return null;
  }

  /** The base ends with the first record that has the next file number. */
  private static boolean hasEditsAfterBase(ManifestContext context, Path path) throws IOException {
    String file = path.toString();
    RecordBuffer record = new RecordBuffer();
    boolean base = false;
    try (LogReader reader = new LogReader(context.env(), path, LogReader.Reporter.IGNORED)) {
      while (reader.readRecord(record)) {
        VersionEdit edit =
            VersionEditCodec.decode(
                record.buffer(), record.length(), file, reader.lastRecordOffset());
        if (base) {
          return true;
        }
        base = edit.nextFileNumber() != VersionEdit.UNSET;
      }
    } catch (NoSuchFileException e) {
      return false; // a writer beside a read-only open has deleted it
    } catch (CorruptionException e) {
      return base; // not a file of this program, or damaged after its base
    }
    return false;
  }

  private RecoveredManifest read(Consumer<Version> whenFree) throws IOException {
    Path path = context.directory().resolve(current.manifest());
    long length = context.env().size(path);
    boolean torn;
    long end;
    try (LogReader reader = new LogReader(context.env(), path, this)) {
      readRecords(reader);
      torn = reader.end() == LogEnd.TORN || tornAt >= 0;
      end = reader.endOfLastRecord();
    }
    if (torn) {
      requireInterruptedWrite(path, end);
    }
    require(nextFileNumber, "next file number");
    require(logNumber, "log number");
    require(lastSequence, "last sequence");
    long next = Math.max(nextFileNumber, Math.max(logNumber, previousLogNumber) + 1);
    if (next > VersionSet.LARGEST_NEXT_NUMBER) {
      throw corruption(
          "next file number " + next + " is too large for a real database",
          CorruptionException.NO_OFFSET);
    }
    if (torn) {
      requireLog();
    }
    return new RecoveredManifest(
        new RecoveredManifest.File(current.manifest(), current.number(), length, length - end),
        builder.build(whenFree),
        logNumber,
        Math.max(previousLogNumber, 0),
        nextFileNumber,
        lastSequence,
        Collections.unmodifiableList(compactPointers));
  }

  private void readRecords(LogReader reader) throws IOException {
    RecordBuffer record = new RecordBuffer();
    while (reader.readRecord(record)) {
      if (tornAt >= 0) {
        throw corruption(tornReason + ", and whole records follow it", tornAt);
      }
      apply(
          VersionEditCodec.decode(
              record.buffer(), record.length(), file, reader.lastRecordOffset()));
    }
  }

  @Override
  public void corruption(long offset, long bytes, String reason, boolean torn) {
    if (!torn) {
      throw corruption(reason + ", " + bytes + " bytes", offset);
    }
    if (tornAt < 0) {
      tornAt = offset;
      tornReason = reason;
    }
  }

  private void apply(VersionEdit edit) {
    checkComparator(edit.comparatorName());
    if (first || edit.logNumber() <= 0) {
      builder.applyOfUnknownAge(edit);
    } else {
      builder.apply(edit);
    }
    first = false;
    for (VersionEdit.CompactPointer pointer : edit.compactPointers()) {
      compactPointers.set(pointer.level(), pointer.key());
    }
    logNumber = later(logNumber, edit.logNumber());
    previousLogNumber = later(previousLogNumber, edit.previousLogNumber());
    nextFileNumber = later(nextFileNumber, edit.nextFileNumber());
    lastSequence = later(lastSequence, edit.lastSequence());
  }

  private static long later(long before, long now) {
    return now == VersionEdit.UNSET ? before : now;
  }

  private void checkComparator(@Nullable String name) {
    String own = context.comparator().userComparator().name();
    if (name != null && !name.equals(own)) {
      throw new UnsupportedFormatException(
          "the database in "
              + context.directory()
              + " is ordered by the comparator "
              + Escape.text(name)
              + ", and was opened with "
              + Escape.text(own)
              + ": give its own as Options.comparator");
    }
  }

  /**
   * A log is deleted only after the edit that makes it obsolete is durable. So if the end is torn
   * and the oldest log that the rest names is deleted, then the missing record was a complete edit.
   */
  private void requireLog() throws IOException {
    Path log = FileNames.log(context.directory(), logNumber);
    if (logNumber > 0 && !context.env().exists(log)) {
      throw corruption(
          "it ends inside a record, and "
              + log.getFileName()
              + ", which is needed then, is missing",
          CorruptionException.NO_OFFSET);
    }
  }

  private void requireInterruptedWrite(Path path, long end) throws IOException {
    String damage = LogTail.damage(context.env(), path, end);
    if (damage != null) {
      throw corruption(damage, end);
    }
  }

  private void require(long value, String what) {
    if (value == VersionEdit.UNSET) {
      throw corruption("no edit sets the " + what, CorruptionException.NO_OFFSET);
    }
  }

  private CorruptionException corruption(String message, long offset) {
    return new CorruptionException("MANIFEST: " + message, file, offset);
  }
}
