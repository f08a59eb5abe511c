package dev.kv.tools.verify;

import dev.kv.bytes.DBComparator;
import dev.kv.core.inspect.DatabaseFile;
import dev.kv.core.inspect.ManifestEdit;
import dev.kv.core.inspect.StoredKey;
import dev.kv.errors.CorruptionException;
import dev.kv.options.CompressionType;
import dev.kv.tools.console.Meter;
import dev.kv.tools.console.Progress;
import dev.kv.tools.database.DatabaseFiles;
import dev.kv.tools.text.Quantity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Checks a whole database: CURRENT, the MANIFEST, every table and log, the tables against the
 * MANIFEST, the levels against each other, and whether an open accepts all of it. Changes nothing.
 */
public final class Verifier {
  /** A log that looks damaged this many times is damaged, even if in another place each time. */
  public static final int MAX_READINGS = 100;

  private final Meter meter = new Meter();
  private final Path directory;
  private final DBComparator userOrder;
  private final StoredKey.Order order;
  private final EntryVisitor visitor;
  private final List<Finding> findings = new ArrayList<>();
  private @Nullable Tree tree;

  /** The files of the tables that were read. */
  private final Set<Path> tableFiles = new HashSet<>();

  private int tables;
  private int deletedMeanwhile;

  /** True if a table is a symbolic link that leads to nothing. */
  private boolean linksToNothing;

  private long blocks;
  private long entries;
  private long tombstones;
  private long rawBytes;
  private long storedBytes;
  private final Map<String, Long> compressions = new TreeMap<>();
  private int filtered;
  private int logs;
  private long batches;

  /** Creates a verifier; {@code visitor} receives every entry of a live table. */
  public Verifier(Path directory, DBComparator order, EntryVisitor visitor) {
    this.directory = directory;
    this.userOrder = order;
    this.order = new StoredKey.Order(order);
    this.visitor = visitor;
  }

  /** Checks everything. */
  public void run() throws IOException {
    Tree read;
    try {
      read = Tree.read(directory, findings::add);
    } catch (CorruptionException e) {
      findings.add(Finding.damage(Finding.baseName(e.file()), e));
      return;
    } catch (NoSuchFileException missing) {
      findings.add(
          Finding.damage(
              Finding.baseName(String.valueOf(missing.getFile())),
              CorruptionException.NO_OFFSET,
              "is missing"));
      return;
    }
    tree = read;
    if (verdict() != Verdict.UNSUPPORTED) {
      check(read);
    }
  }

  private void check(Tree tree) throws IOException {
    Finding refusal = new OpenCheck(directory, userOrder).run();
    boolean treeIsWhole = isWhole() && refusal == null;
    int readings = tree.sortedRuns() > 1 ? 2 : 1;
    long bytes = readings * tree.bytes() + DatabaseFiles.bytes(directory, DatabaseFile.Kind.LOG);
    try (Progress progress = Progress.of("verify", Progress.Unit.BYTES, bytes, meter::bytesRead)) {
      progress.begin();
      for (int level = 0; level < DatabaseFile.LEVELS; level++) {
        checkLevel(tree, level);
      }
      Finding deletion = deletion();
      if (deletion != null) {
        findings.add(deletion);
      }
      if (isWhole()) {
        new LevelOrderCheck(meter, directory, tree, order, findings::add).run();
      }
      checkOtherFiles(tree, treeIsWhole);
      checkRequiredLogs();
      if (refusal != null && !isReported(refusal.file())) {
        findings.add(refusal);
      }
    }
  }

  /** Returns the note that another process deleted tables before they were read, or null. */
  public @Nullable Finding deletion() {
    return tree == null || deletedMeanwhile == 0
        ? null
        : Finding.note(
            tree.manifest(),
            CorruptionException.NO_OFFSET,
            deletedMeanwhile
                + " of "
                + tree.tableCount()
                + " tables were deleted by the process that writes, before they were read");
  }

  /** Returns true if damage of that file was found. */
  private boolean isReported(String file) {
    return findings.stream().anyMatch(found -> found.damage() && found.file().equals(file));
  }

  private void checkLevel(Tree tree, int level) throws IOException {
    ManifestEdit.NewTable before = null;
    for (ManifestEdit.NewTable table : tree.tables(level, order)) {
      if (level > 0 && before != null && order.compare(before.largest(), table.smallest()) >= 0) {
        findings.add(
            Finding.damage(
                tree.manifest(),
                CorruptionException.NO_OFFSET,
                "level "
                    + level
                    + ": table "
                    + table.number()
                    + " overlaps table "
                    + before.number()));
      }
      before = table;
      checkTable(tree, table);
    }
  }

  private void checkTable(Tree tree, ManifestEdit.NewTable table) throws IOException {
    if (checkIfThere(tree, table)) {
      return;
    }
    // A writer in another process may have compacted it away in the meantime.
    if (Tree.read(directory, ignored -> {}).tableNumbers().contains(table.number())) {
      Path missing = DatabaseFiles.missing(DatabaseFile.table(directory, table.number()));
      linksToNothing |= Files.isSymbolicLink(missing);
      findings.add(
          Finding.damage(
              Finding.baseName(missing.toString()),
              CorruptionException.NO_OFFSET,
              Finding.absence(missing)
                  + (isReported(tree.manifest()) ? ", unless a damaged edit has deleted it" : "")));
    } else {
      deletedMeanwhile++;
    }
  }

  private boolean checkIfThere(Tree tree, ManifestEdit.NewTable table) throws IOException {
    Path file = DatabaseFiles.table(directory, table);
    if (file == null) {
      return false;
    }
    try {
      checkTable(tree, table, file);
      return true;
    } catch (NoSuchFileException vanished) {
      return false;
    }
  }

  private void checkTable(Tree tree, ManifestEdit.NewTable table, Path file) throws IOException {
    String name = Finding.baseName(file.toString());
    tableFiles.add(file);
    long size = Files.size(file);
    TableCheck check = new TableCheck(name, order, false, findings::add, visitor);
    check.run(meter, file);
    if (size != table.size()) {
      boolean whole = table.isOverstated(size) && check.damages() == 0;
      findings.add(
          new Finding(
              whole ? Finding.Kind.NOTE : Finding.Kind.DAMAGED,
              name,
              Math.min(size, table.size()),
              "has "
                  + size
                  + " bytes, but the MANIFEST says "
                  + table.size()
                  + (whole ? ", as iq80 does of a whole table" : "")));
    }
    tables++;
    blocks += check.blocks();
    entries += check.entries();
    tombstones += check.tombstones();
    rawBytes += check.rawBytes();
    storedBytes += check.storedBytes();
    check.compressions().forEach((kind, count) -> compressions.merge(kind, count, Long::sum));
    filtered += check.filtered() ? 1 : 0;
    if (check.damages() == 0) {
      checkEnds(tree, table, check, name);
    }
  }

  /** Checks what the MANIFEST says about a table that is whole in itself. */
  private void checkEnds(Tree tree, ManifestEdit.NewTable table, TableCheck check, String name) {
    checkEnd(name, "first", table.smallest(), check.smallest());
    checkEnd(name, "last", table.largest(), check.largest());
    if (check.largestSequence() > tree.lastSequence()) {
      findings.add(
          Finding.damage(
              name,
              CorruptionException.NO_OFFSET,
              "holds sequence number "
                  + check.largestSequence()
                  + ", but the MANIFEST's last is "
                  + tree.lastSequence()));
    }
  }

  private void checkEnd(String name, String which, byte[] promised, byte @Nullable [] found) {
    if (found == null || order.compare(promised, found) != 0) {
      findings.add(
          Finding.damage(
              name,
              CorruptionException.NO_OFFSET,
              "its "
                  + which
                  + " key is "
                  + (found == null ? "none" : StoredKey.describe(found))
                  + ", but the MANIFEST says "
                  + StoredKey.describe(promised)));
    }
  }

  private void checkOtherFiles(Tree tree, boolean treeIsWhole) throws IOException {
    long previous = -1;
    Path withoutRecord = null;
    boolean keepsLogs = DatabaseFiles.hasChanges(directory);
    for (Map.Entry<Path, DatabaseFile> each : DatabaseFiles.files(directory).entrySet()) {
      Path child = each.getKey();
      DatabaseFile file = each.getValue();
      if (file.kind() == DatabaseFile.Kind.LOG && tree.isLive(file.number())) {
        long before = batches;
        previous = checkLog(child, previous);
        if (batches == before) {
          withoutRecord = child.toFile().length() > 0 ? child : withoutRecord;
        } else if (withoutRecord != null) {
          findings.add(
              Finding.note(
                  Finding.baseName(withoutRecord.toString()),
                  CorruptionException.NO_OFFSET,
                  "has bytes but no record, and a later log has records: what it held is lost"));
          withoutRecord = null;
        }
      } else if (treeIsWhole && isLeftOver(tree, file, keepsLogs)) {
        findings.add(
            Finding.note(
                Finding.baseName(child.toString()),
                CorruptionException.NO_OFFSET,
                "is not in use: the next open for writing deletes it"));
      } else if (treeIsWhole
          && file.kind() == DatabaseFile.Kind.TABLE
          && !tableFiles.contains(child)) {
        findings.add(
            Finding.note(
                Finding.baseName(child.toString()),
                CorruptionException.NO_OFFSET,
                "is not the table with its number: the next open for writing moves it to lost/"));
      }
    }
  }

  /**
   * Checks that the logs which the MANIFEST names exist. A log is deleted only after an edit that
   * replaces it is durable, so a missing one has taken its writes with it.
   */
  private void checkRequiredLogs() throws IOException {
    Set<Long> before = Set.of();
    for (int reading = 0; reading < MAX_READINGS; reading++) {
      Set<Long> missing = Tree.read(directory, ignored -> {}).requiredLogs();
      missing.removeIf(number -> DatabaseFiles.exists(DatabaseFile.log(directory, number)));
      if (missing.isEmpty()) {
        return;
      }
      // Once can be a writer in another process that has flushed the log in the meantime.
      if (missing.equals(before)) {
        missing.forEach(this::addMissingLog);
        return;
      }
      before = missing;
    }
  }

  private void addMissingLog(long number) {
    Path log = DatabaseFile.log(directory, number);
    findings.add(
        Finding.damage(
            Finding.baseName(log.toString()),
            CorruptionException.NO_OFFSET,
            Finding.absence(log)
                + ", but the MANIFEST needs it: the writes that only it held are lost"));
  }

  /**
   * Checks a log. A record that a writer in another process is storing can look like damage, in
   * another place each time: damage counts if the next reading finds it too.
   */
  private long checkLog(Path file, long previous) throws IOException {
    String name = Finding.baseName(file.toString());
    List<Finding> found = new ArrayList<>();
    LogCheck check;
    int readings = 0;
    boolean lasting;
    try {
      do {
        List<Finding> before = List.copyOf(found);
        found.clear();
        check = new LogCheck(name, found::add);
        check.run(meter, file);
        readings++;
        lasting = found.stream().filter(Finding::damage).anyMatch(before::contains);
      } while (!lasting && readings < MAX_READINGS && found.stream().anyMatch(Finding::damage));
    } catch (NoSuchFileException flushed) {
      return previous;
    }
    findings.addAll(found);
    logs++;
    batches += check.batches();
    if (check.firstSequence() >= 0 && check.firstSequence() <= previous) {
      findings.add(
          Finding.damage(
              name,
              CorruptionException.NO_OFFSET,
              "begins with sequence number "
                  + check.firstSequence()
                  + ", but the previous log ends with "
                  + previous));
    }
    return Math.max(previous, check.lastSequence());
  }

  private static boolean isLeftOver(Tree tree, DatabaseFile file, boolean keepsLogs) {
    return switch (file.kind()) {
      case TABLE -> !tree.tableNumbers().contains(file.number());
      case MANIFEST ->
          !tree.manifest().equals(DatabaseFile.manifest(Path.of(""), file.number()).toString());
      case LOG -> !keepsLogs;
      case TEMP -> true;
      default -> false;
    };
  }

  /** Returns the findings, in the order in which they were made. */
  public List<Finding> findings() {
    return findings;
  }

  /** Returns what the findings say of the database. */
  public Verdict verdict() {
    return Verdict.of(findings);
  }

  /** Returns true if nothing is damaged, or of another format. */
  public boolean isWhole() {
    return verdict() == Verdict.WHOLE;
  }

  /** Returns true if a table is a symbolic link that leads to nothing: a repair refuses that. */
  boolean linksToNothing() {
    return linksToNothing;
  }

  /** Returns what can be done about the first thing of another format; empty if there is none. */
  public String advice() {
    return findings.stream()
        .filter(finding -> finding.kind() == Finding.Kind.UNSUPPORTED)
        .findFirst()
        .map(Finding::advice)
        .orElse("");
  }

  /** Returns the counts by name. */
  public Map<String, Long> counts() {
    Map<String, Long> counts = new LinkedHashMap<>();
    counts.put("tables", (long) tables);
    counts.put("filters", (long) filtered);
    counts.put("blocks", blocks);
    counts.put("entries", entries);
    counts.put("tombstones", tombstones);
    counts.put("rawBytes", rawBytes);
    counts.put("storedBytes", storedBytes);
    counts.put("logs", (long) logs);
    counts.put("batches", batches);
    counts.put("tablesDeletedMeanwhile", (long) deletedMeanwhile);
    return counts;
  }

  /** Returns how many blocks have each compression, by its name. */
  public Map<String, Long> compressions() {
    return compressions;
  }

  /** Returns the name of a compression, or its code if it is unknown. */
  public static String compression(int code) {
    for (CompressionType type : CompressionType.values()) {
      if (type.code() == code) {
        return type.name().toLowerCase(Locale.ROOT);
      }
    }
    return Integer.toString(code);
  }

  /** Returns the tree that was checked, or null if it cannot be read. */
  public @Nullable Tree tree() {
    return tree;
  }

  /** Returns how many tables another process deleted before they were read. */
  public int deletedMeanwhile() {
    return deletedMeanwhile;
  }

  /** Returns what was checked as one line of text. */
  String summary() {
    return Quantity.of(tables, "table")
        + " ("
        + filtered
        + " with a filter), "
        + Quantity.of(blocks, "block")
        + ", "
        + Quantity.of(entries, "entry", "entries")
        + "; "
        + Quantity.of(logs, "log")
        + ", "
        + Quantity.of(batches, "batch", "batches");
  }
}
