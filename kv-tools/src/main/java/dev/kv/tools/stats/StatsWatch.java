package dev.kv.tools.stats;

import dev.kv.bytes.DBComparator;
import dev.kv.core.inspect.DatabaseFile;
import dev.kv.core.inspect.ManifestEdit;
import dev.kv.core.inspect.StoredKey;
import dev.kv.tools.console.Cancellation;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.Output;
import dev.kv.tools.database.DatabaseFiles;
import dev.kv.tools.text.Json;
import dev.kv.tools.text.Printable;
import dev.kv.tools.verify.Tree;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Shows a database again and again from its files alone: the tree in the MANIFEST, the sizes of the
 * files, and the end of LOG. It neither takes LOCK nor opens a table or log, so a process that has
 * the database open does not notice. What is only in that process's memory is not shown: the
 * memtable, the cache, the counters.
 */
final class StatsWatch {
  private static final double MIB = 1 << 20;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
  private static final String CLEAR_SCREEN = "\u001b[H\u001b[2J";
  private static final int LOG_LINES = 5;
  private static final int LOG_TAIL_BYTES = 4 << 10;

  private final Path directory;
  private final Style style;
  private final Output out;
  private final long startNanos = System.nanoTime();
  private Look before = Look.NONE;

  /** The form of the output. */
  enum Style {
    /** The screen is cleared before each look. */
    SCREEN,
    /** A line for each look. */
    LINES,
    /** A JSON object for each look. */
    JSON
  }

  /** What one look has found. */
  private record Look(
      double seconds,
      String manifest,
      int edits,
      List<Integer> tables,
      List<Long> bytes,
      long lastSequence,
      int logs,
      long logBytes,
      int tableFiles,
      long tableFileBytes,
      @Nullable Boolean inUse) {
    static final Look NONE = new Look(0, "", 0, List.of(), List.of(), -1, 0, 0, 0, 0, false);

    int tableCount() {
      return tables.stream().mapToInt(Integer::intValue).sum();
    }

    long treeBytes() {
      return bytes.stream().mapToLong(Long::longValue).sum();
    }
  }

  StatsWatch(Path directory, Style style, Output out) {
    this.directory = directory;
    this.style = style;
    this.out = out;
  }

  /**
   * Looks every {@code intervalMillis}.
   *
   * @param count the number of samples; 0 for no end
   * @throws Failure if the command is cancelled
   */
  void run(long intervalMillis, int count) throws IOException {
    for (int look = 1; ; look++) {
      show(look());
      out.flush();
      if (look == count) {
        return;
      }
      try {
        Thread.sleep(intervalMillis);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        Cancellation.check();
      }
    }
  }

  private Look look() throws IOException {
    Tree tree = Tree.readWhole(directory);
    StoredKey.Order anyOrder = new StoredKey.Order(DBComparator.bytewise());
    List<Integer> tables = new ArrayList<>();
    List<Long> bytes = new ArrayList<>();
    for (int level = 0; level < DatabaseFile.LEVELS; level++) {
      List<ManifestEdit.NewTable> files = tree.tables(level, anyOrder);
      tables.add(files.size());
      bytes.add(files.stream().mapToLong(ManifestEdit.NewTable::size).sum());
    }
    int logs = 0;
    int tableFiles = 0;
    for (DatabaseFile file : DatabaseFiles.files(directory).values()) {
      logs += file.kind() == DatabaseFile.Kind.LOG ? 1 : 0;
      tableFiles += file.kind() == DatabaseFile.Kind.TABLE ? 1 : 0;
    }
    return new Look(
        (System.nanoTime() - startNanos) / 1e9,
        tree.manifest(),
        tree.edits(),
        tables,
        bytes,
        tree.lastSequence(),
        logs,
        DatabaseFiles.bytes(directory, DatabaseFile.Kind.LOG),
        tableFiles,
        DatabaseFiles.bytes(directory, DatabaseFile.Kind.TABLE),
        DatabaseFiles.isInUse(directory));
  }

  private void show(Look now) throws IOException {
    switch (style) {
      case JSON -> out.line(Json.of(members(now)));
      case LINES -> out.line(line(now));
      case SCREEN -> {
        out.bytes(CLEAR_SCREEN.getBytes(StandardCharsets.US_ASCII));
        screen(now).forEach(out::line);
      }
    }
    before = now;
  }

  private static Map<String, Object> members(Look now) {
    List<Object> levels = new ArrayList<>();
    for (int level = 0; level < DatabaseFile.LEVELS; level++) {
      levels.add(StatsText.levelMembers(now.tables().get(level), now.bytes().get(level)));
    }
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("time", Instant.now().truncatedTo(ChronoUnit.SECONDS));
    members.put("inUse", now.inUse());
    members.put("levels", levels);
    members.put("tableFiles", now.tableFiles());
    members.put("tableFileBytes", now.tableFileBytes());
    members.put("logs", now.logs());
    members.put("logBytes", now.logBytes());
    members.put("lastSequence", now.lastSequence());
    members.put("manifest", now.manifest());
    members.put("edits", now.edits());
    return members;
  }

  /** Returns one of the texts, or none if it is unknown whether a process has it open. */
  private static String use(Look now, String inUse, String notInUse) {
    Boolean used = now.inUse();
    if (used == null) {
      return "";
    }
    return used ? inUse : notInUse;
  }

  private String line(Look now) {
    List<String> levels = now.tables().stream().map(String::valueOf).toList();
    return time()
        + use(now, " in use", " not in use")
        + ", levels "
        + String.join(" ", levels)
        + format(", tables %.1f MiB", now.treeBytes() / MIB)
        + format(", logs %d of %.1f MiB", now.logs(), now.logBytes() / MIB)
        + ", flushed to sequence "
        + now.lastSequence()
        + rate(now)
        + ", "
        + now.edits()
        + " edits";
  }

  private List<String> screen(Look now) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add(
        Printable.of(directory.toString())
            + "  "
            + time()
            + use(now, "  in use by another process", "  not in use")
            + "  (Ctrl-C ends)");
    lines.add("");
    lines.add("level  files        MiB");
    for (int level = 0; level < DatabaseFile.LEVELS; level++) {
      if (now.tables().get(level) > 0 || level == 0) {
        lines.add(
            format(
                "%5d  %5d  %9.1f", level, now.tables().get(level), now.bytes().get(level) / MIB));
      }
    }
    lines.add("");
    lines.add(format("tables          %d, %.1f MiB", now.tableCount(), now.treeBytes() / MIB));
    lines.add(format("table files     %d, %.1f MiB", now.tableFiles(), now.tableFileBytes() / MIB));
    lines.add(format("logs            %d, %.1f MiB reserved", now.logs(), now.logBytes() / MIB));
    lines.add("last sequence   " + now.lastSequence() + " in tables" + rate(now));
    lines.add(format("MANIFEST        %s, %d edits", now.manifest(), now.edits()));
    List<String> log = endOfLog();
    if (!log.isEmpty()) {
      lines.add("");
      lines.addAll(log);
    }
    return lines;
  }

  /** Returns how many operations a second have reached the tables since the look before. */
  private String rate(Look now) {
    double seconds = now.seconds() - before.seconds();
    long operations = now.lastSequence() - before.lastSequence();
    return before.lastSequence() < 0 || operations <= 0 || seconds <= 0
        ? ""
        : format(" (+%.0f/s)", operations / seconds);
  }

  private List<String> endOfLog() throws IOException {
    Path log = directory.resolve("LOG");
    if (!DatabaseFiles.isRegularFile(log)) { // the open of a pipe would wait
      return List.of();
    }
    byte[] tail;
    try (SeekableByteChannel file = Files.newByteChannel(log)) {
      long from = Math.max(0, file.size() - LOG_TAIL_BYTES);
      ByteBuffer into = ByteBuffer.allocate((int) (file.size() - from));
      file.position(from);
      int read = 0;
      while (into.hasRemaining() && read >= 0) {
        read = file.read(into);
      }
      tail = Arrays.copyOf(into.array(), into.position());
    } catch (NoSuchFileException rotated) {
      return List.of();
    }
    List<String> lines =
        new String(tail, StandardCharsets.UTF_8).lines().map(Printable::of).toList();
    return lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size());
  }

  private static String time() {
    return LocalTime.now().format(TIME);
  }

  private static String format(String pattern, Object... arguments) {
    return String.format(Locale.ROOT, pattern, arguments);
  }
}
