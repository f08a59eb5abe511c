package dev.kv.tools.database;

import dev.kv.CorruptionException;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.log.LogReader;
import dev.kv.core.log.RecordBuffer;
import dev.kv.core.manifest.CurrentFile;
import dev.kv.core.version.VersionEditCodec;
import dev.kv.env.Env;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.FailureText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a directory's files tell without opening the database. */
public final class DatabaseFiles {
  private static final Path HELD_LOCKS = Path.of("/proc/locks");

  private DatabaseFiles() {}

  /** Returns whether a directory has the file CURRENT, and so can be opened. */
  public static boolean isDatabase(Path directory) {
    return Files.exists(directory.resolve("CURRENT"));
  }

  /** Returns the files whose names are a database's own, in the order of their names. */
  public static SortedMap<Path, FileName> files(Path directory) throws IOException {
    SortedMap<Path, FileName> files = new TreeMap<>(Comparator.comparing(Path::toString));
    try (Stream<Path> children = Files.list(directory)) {
      for (Path child : children.toList()) {
        FileName name = FileNames.parse(String.valueOf(child.getFileName()));
        if (name != null) {
          files.put(child, name);
        }
      }
    }
    return files;
  }

  /** Returns whether a directory without CURRENT still has tables, logs or MANIFESTs. */
  static boolean hasRemains(Path directory) throws IOException {
    Set<FileName.Kind> remains =
        EnumSet.of(FileName.Kind.LOG, FileName.Kind.TABLE, FileName.Kind.MANIFEST);
    return files(directory).values().stream().anyMatch(file -> remains.contains(file.kind()));
  }

  /** Returns the size of all files of a kind; a file that vanishes meanwhile counts as empty. */
  public static long bytes(Path directory, FileName.Kind kind) throws IOException {
    long bytes = 0;
    for (Map.Entry<Path, FileName> file : files(directory).entrySet()) {
      if (file.getValue().kind() == kind) {
        bytes += Math.max(0, file.getKey().toFile().length());
      }
    }
    return bytes;
  }

  /** Returns the file of the table of that number, or null where there is none. */
  public static @Nullable Path table(Path directory, long number) {
    for (Path file :
        List.of(FileNames.table(directory, number), FileNames.oldTable(directory, number))) {
      if (Files.exists(file)) {
        return file;
      }
    }
    return null;
  }

  /** Returns the directory that a file is in. */
  public static Path directoryOf(Path file) {
    Path directory = file.toAbsolutePath().getParent();
    return directory == null ? Path.of("/") : directory;
  }

  /** Returns the name of the MANIFEST that a file CURRENT gives. */
  public static String manifestNamedBy(Path current) throws IOException {
    return CurrentFile.read(Env.fileSystem(), directoryOf(current)).manifest();
  }

  /** Returns the comparator's name in the MANIFEST. */
  public static String comparatorName(Path directory) {
    Env env = Env.fileSystem();
    try {
      Path manifest = directory.resolve(CurrentFile.read(env, directory).manifest());
      String file = manifest.toString();
      try (LogReader records =
          new LogReader(
              file,
              env.openSequential(manifest),
              (offset, bytes, reason, torn) -> {
                throw new CorruptionException(reason, file, offset);
              },
              true)) {
        RecordBuffer record = new RecordBuffer();
        while (records.readRecord(record)) {
          long offset = records.lastRecordOffset();
          String name =
              VersionEditCodec.decode(record.buffer(), 0, record.length(), file, offset)
                  .comparatorName();
          if (name != null) {
            return name;
          }
        }
      }
      throw new Failure(manifest + ": names no comparator");
    } catch (IOException unreadable) {
      throw new Failure(FailureText.describe(unreadable));
    }
  }

  /**
   * Returns whether LOCK is held, as the system's list of locks shows it: LOCK itself is not
   * touched. False where there is no such list.
   */
  static boolean lockedByAnother(Path directory) {
    try (Stream<String> locks = Files.lines(HELD_LOCKS)) {
      String inode = ":" + Files.getAttribute(directory.resolve("LOCK"), "unix:ino") + " ";
      return locks.anyMatch(held -> held.contains(inode));
    } catch (IOException | UnsupportedOperationException unknown) {
      return false;
    }
  }
}
