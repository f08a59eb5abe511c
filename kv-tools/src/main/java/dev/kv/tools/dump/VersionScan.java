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
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Prints every version of every entry in the tables and logs of a directory, file by file. Needs no
 * order of keys. Damage is reported as a message, and the scan continues after it.
 */
public final class VersionScan {
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
    long bytes =
        DatabaseFiles.bytes(directory, DatabaseFile.Kind.TABLE)
            + DatabaseFiles.bytes(directory, DatabaseFile.Kind.LOG);
    try (Progress progress = Progress.printing("scan", bytes, meter::bytesRead)) {
      progress.begin();
      for (Map.Entry<Path, DatabaseFile> file : files) {
        print(file.getKey(), file.getValue().kind());
      }
    } catch (Enough limit) {
      return damaged;
    }
    return damaged;
  }

  private List<Map.Entry<Path, DatabaseFile>> files() throws IOException {
    List<Map.Entry<Path, DatabaseFile>> files =
        DatabaseFiles.files(directory).entrySet().stream()
            .filter(file -> holdsEntries(file.getValue()))
            .sorted(Comparator.comparingLong(file -> file.getValue().number()))
            .toList();
    if (files.isEmpty()) {
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
    Parts parts = new Parts((depth, type, members) -> printPart(name, type, members));
    if (kind == DatabaseFile.Kind.TABLE) {
      new TableDump(meter, file, false, parts).table();
    } else {
      new RecordDump(meter, file, parts).log();
    }
  }

  private void checkLimit() {
    if (left == 0) {
      throw new Enough();
    }
  }

  private void printPart(String file, String type, Map<String, Object> members) {
    switch (type) {
      case "put", "delete" -> {
        checkLimit();
        left--;
        byte[] value = members.containsKey("value") ? bytes(members, "value") : new byte[0];
        out.line(
            format.versionLine(number(members, "sequence"), type, bytes(members, "key"), value));
      }
      case "malformed" ->
          found(
              Finding.damage(
                  file,
                  CorruptionException.NO_OFFSET,
                  "a key without sequence number and type: '"
                      + Escape.bytes(bytes(members, "key"))
                      + "'"));
      case "damage" -> {
        long offset = number(members, "offset");
        String text = String.valueOf(members.get("text"));
        boolean torn = Boolean.TRUE.equals(members.get("torn"));
        found(torn ? Finding.note(file, offset, text) : Finding.damage(file, offset, text));
      }
      default -> {
        // Other parts hold no entry themselves.
      }
    }
  }

  private static byte[] bytes(Map<String, Object> members, String name) {
    return (byte[]) Objects.requireNonNull(members.get(name), name);
  }

  private static long number(Map<String, Object> members, String name) {
    return (long) Objects.requireNonNull(members.get(name), name);
  }

  private void found(Finding finding) {
    damaged |= finding.damage();
    messages.println("kv: " + finding.line());
    messages.flush();
  }
}
