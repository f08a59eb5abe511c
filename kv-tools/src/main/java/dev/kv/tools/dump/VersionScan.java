package dev.kv.tools.dump;

import dev.kv.bytes.Escape;
import dev.kv.core.inspect.DatabaseFile;
import dev.kv.errors.CorruptionException;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.Meter;
import dev.kv.tools.console.Output;
import dev.kv.tools.console.Progress;
import dev.kv.tools.database.DatabaseFiles;
import dev.kv.tools.text.EntryFormat;
import dev.kv.tools.verify.Finding;
import dev.kv.tools.verify.Tree;
import dev.kv.tools.verify.Verifier;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Prints every version of every entry in the tables and logs of a directory, file by file. Needs no
 * order of keys. Damage is reported as a message, and the scan continues after it.
 */
public final class VersionScan {
  /** Each listing needs a writer that makes a table at that moment. */
  private static final int MOST_LISTINGS = 50;

  private final Meter meter = new Meter();
  private final Path directory;
  private final EntryFormat format;
  private final Output out;
  private final PrintWriter messages;
  private long left;
  private boolean damaged;

  /** Ends the scan when the limit is reached. */
  private static final class Enough extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Enough() {
      super(null, null, false, false);
    }
  }

  /** Ends a reading of a log, of which the next one tells whether it is damaged. */
  private static final class Again extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Again() {
      super(null, null, false, false);
    }
  }

  /**
   * Creates a scan that prints at most {@code limit} entries and reports damage on {@code
   * messages}.
   */
  public VersionScan(
      Path directory, EntryFormat format, long limit, Output out, PrintWriter messages) {
    this.directory = directory;
    this.format = format;
    this.left = limit;
    this.out = out;
    this.messages = messages;
  }

  /** Prints the entries, and returns true if anything was damaged. */
  public boolean run() throws IOException {
    List<Map.Entry<Path, DatabaseFile>> files = files();
    Set<Long> inUse = tablesBesideAWriter();
    for (int i = 0; i < MOST_LISTINGS && inUse != null && !tables(files).containsAll(inUse); i++) {
      files = files(); // the writer has made a table after the listing
      inUse = tablesBesideAWriter();
    }
    long bytes =
        DatabaseFiles.bytes(directory, DatabaseFile.Kind.TABLE)
            + DatabaseFiles.bytes(directory, DatabaseFile.Kind.LOG);
    try (Progress progress = Progress.printing("scan", bytes, meter::bytesRead)) {
      progress.begin();
      for (Map.Entry<Path, DatabaseFile> file : files) {
        DatabaseFile is = file.getValue();
        if (is.kind() == DatabaseFile.Kind.TABLE && inUse != null && !inUse.contains(is.number())) {
          note(file.getKey(), "is not in use: another process is writing or deleting it");
        } else {
          print(file.getKey(), is.kind());
        }
      }
    } catch (Enough limit) {
      return damaged;
    }
    return damaged;
  }

  /**
   * Returns the numbers of the tables in use if a writer has the database open: the others may be
   * incomplete. Returns null if there is no writer, or the MANIFEST does not tell.
   */
  private @Nullable Set<Long> tablesBesideAWriter() throws IOException {
    if (!DatabaseFiles.lockedByAnother(directory)) {
      return null;
    }
    List<Finding> findings = new ArrayList<>();
    try {
      Tree tree = Tree.read(directory, findings::add);
      return findings.stream().anyMatch(Finding::damage) ? null : tree.tableNumbers();
    } catch (CorruptionException | NoSuchFileException unreadable) {
      return null;
    }
  }

  private static Set<Long> tables(List<Map.Entry<Path, DatabaseFile>> files) {
    return files.stream()
        .map(Map.Entry::getValue)
        .filter(file -> file.kind() == DatabaseFile.Kind.TABLE)
        .map(DatabaseFile::number)
        .collect(Collectors.toSet());
  }

  private List<Map.Entry<Path, DatabaseFile>> files() throws IOException {
    List<Map.Entry<Path, DatabaseFile>> files =
        DatabaseFiles.files(directory).entrySet().stream()
            .filter(file -> holdsEntries(file.getValue()))
            .sorted(Comparator.comparingLong(file -> file.getValue().number()))
            .toList();
    if (files.isEmpty() && !DatabaseFiles.isDatabase(directory)) {
      throw new Failure(directory + ": is not a database: it has no tables and no logs");
    }
    return files;
  }

  private static boolean holdsEntries(DatabaseFile file) {
    return file.kind() == DatabaseFile.Kind.TABLE || file.kind() == DatabaseFile.Kind.LOG;
  }

  private void print(Path file, DatabaseFile.Kind kind) throws IOException {
    checkLimit();
    String name = String.valueOf(file.getFileName());
    try {
      if (kind == DatabaseFile.Kind.TABLE) {
        Parts parts = new Parts((depth, type, members) -> printPart(name, type, members));
        new TableDump(meter, file, false, parts).table();
      } else {
        new LogScan(name).run(file);
      }
    } catch (NoSuchFileException deleted) {
      note(file, "was deleted by another process before it was read");
    }
  }

  /**
   * The scan of one log. A record that a writer in another process is storing can look like damage:
   * damage counts if the next reading finds it too. Each reading prints what those before it have
   * not reached.
   */
  private final class LogScan {
    private final String name;
    private final Set<Finding> reported = new HashSet<>();
    private @Nullable Finding suspected;
    private int readings;
    private long printed;
    private long read;

    LogScan(String name) {
      this.name = name;
    }

    void run(Path file) throws IOException {
      boolean isComplete = false;
      while (!isComplete) {
        readings++;
        read = 0;
        try {
          new RecordDump(meter, file, new Parts((depth, type, members) -> part(type, members)))
              .log();
          isComplete = true;
        } catch (Again suspicion) {
          isComplete = false;
        }
      }
    }

    private void part(String type, Map<String, Object> members) {
      Finding finding = finding(name, type, members);
      if (finding == null) {
        if (isEntry(type) && read++ == printed) {
          printEntry(type, members);
          printed++;
        }
      } else if (!reported.contains(finding)) {
        if (finding.damage() && !finding.equals(suspected) && readings < Verifier.MAX_READINGS) {
          suspected = finding;
          throw new Again();
        }
        reported.add(finding);
        found(finding);
      }
    }
  }

  private void checkLimit() {
    if (left == 0) {
      throw new Enough();
    }
  }

  private void printPart(String file, String type, Map<String, Object> members) {
    Finding finding = finding(file, type, members);
    if (finding != null) {
      found(finding);
    } else if (isEntry(type)) {
      printEntry(type, members);
    }
  }

  private static boolean isEntry(String type) {
    return type.equals("put") || type.equals("delete");
  }

  private void printEntry(String type, Map<String, Object> members) {
    checkLimit();
    left--;
    byte[] value = members.containsKey("value") ? bytes(members, "value") : new byte[0];
    out.line(format.versionLine(number(members, "sequence"), type, bytes(members, "key"), value));
  }

  /** Returns what a part tells of the state of its file, or null if that is nothing. */
  private static @Nullable Finding finding(String file, String type, Map<String, Object> members) {
    if (type.equals("malformed")) {
      return Finding.damage(
          file,
          CorruptionException.NO_OFFSET,
          "a key without sequence number and type: '" + Escape.bytes(bytes(members, "key")) + "'");
    }
    if (!type.equals("damage")) {
      return null;
    }
    long offset = number(members, "offset");
    String text = String.valueOf(members.get("text"));
    boolean torn = Boolean.TRUE.equals(members.get("torn"));
    return torn ? Finding.note(file, offset, text) : Finding.damage(file, offset, text);
  }

  private static byte[] bytes(Map<String, Object> members, String name) {
    return (byte[]) Objects.requireNonNull(members.get(name), name);
  }

  private static long number(Map<String, Object> members, String name) {
    return (long) Objects.requireNonNull(members.get(name), name);
  }

  private void note(Path file, String text) {
    String name = String.valueOf(file.getFileName());
    found(Finding.note(name, CorruptionException.NO_OFFSET, text));
  }

  private void found(Finding finding) {
    damaged |= finding.damage();
    messages.println("kv: " + finding.line());
    messages.flush();
  }
}
