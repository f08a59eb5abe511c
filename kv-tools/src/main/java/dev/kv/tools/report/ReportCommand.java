package dev.kv.tools.report;

import dev.kv.bytes.DBComparator;
import dev.kv.core.inspect.DatabaseFile;
import dev.kv.core.inspect.ManifestEdit;
import dev.kv.core.inspect.StoredKey;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.Output;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.database.DatabaseFiles;
import dev.kv.tools.text.Printable;
import dev.kv.tools.verify.Finding;
import dev.kv.tools.verify.Tree;
import dev.kv.tools.verify.Verifier;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes a page of HTML that shows a database. */
@Command(
    name = "report",
    description =
        "Read the whole database, and write one page of HTML that needs no other file: levels and"
            + " tables, sizes, compression, deleted and overwritten entries, prefixes that take the"
            + " most space, the result of verify, and what to do. The page quotes keys, and no"
            + " values. Exit 1 if the database is damaged; the page is written all the same.",
    mixinStandardHelpOptions = true)
public final class ReportCommand implements Callable<Integer> {
  private static final int PREFIXES = 15;
  private static final int MAX_FINDINGS = 100;

  @Mixin private DatabaseArguments database;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description =
          "The page, or - for standard output; default ${DEFAULT-VALUE}. An earlier report is"
              + " replaced. The page is FILE.partial until it is complete.")
  private Path output = Path.of("report.html");

  @Override
  public Integer call() throws IOException {
    database.requireRemains();
    boolean print = output.toString().equals("-");
    if (!print) {
      requireWritable();
    }
    database.noteWriter();
    DBComparator order = database.requireComparator();
    EntrySummary entries = new EntrySummary();
    Verifier verifier = new Verifier(database.directory(), order, entries::add);
    verifier.run();
    String page = page(verifier.tree(), order, entries, verifier);
    if (print) {
      try (Output out = new Output()) {
        out.bytes(page.getBytes(StandardCharsets.UTF_8));
      }
    } else {
      write(page);
      System.out.println(
          Printable.of(output.toString())
              + (verifier.isWhole() ? "" : ": the database is " + state(verifier)));
    }
    return verifier.isWhole() ? 0 : 1;
  }

  private static String state(Verifier verifier) {
    return verifier.verdict().name().toLowerCase(Locale.ROOT);
  }

  /** Checks, before everything is read, that the page can be written to its place. */
  private void requireWritable() throws IOException {
    Path directory = DatabaseFiles.directoryOf(output);
    if (!Files.isDirectory(directory)) {
      throw new Failure(directory + ": no such directory");
    }
    if (!Files.isWritable(directory)) {
      throw new Failure(directory + ": no file can be made there");
    }
    requireReplaceable(output);
    if (!isEmptyFile(partial())) { // as a kill may leave it
      requireReplaceable(partial());
    }
  }

  private static boolean isEmptyFile(Path file) throws IOException {
    return DatabaseFiles.isRegularFile(file) && Files.size(file) == 0;
  }

  /**
   * Writes the page to a file beside, and renames it, so that a failure keeps an earlier report.
   */
  private void write(String page) throws IOException {
    Path partial = partial();
    try {
      Files.writeString(partial, page);
      Files.move(partial, target(), StandardCopyOption.REPLACE_EXISTING);
    } catch (FileSystemException e) {
      throw e; // names its file
    } catch (IOException e) {
      throw new Failure(output + ": " + e.getMessage());
    } finally {
      Files.deleteIfExists(partial);
    }
  }

  private Path partial() throws IOException {
    Path target = target();
    return target.resolveSibling(target.getFileName() + ".partial");
  }

  /** Returns the file to replace: the one that a symbolic link names. */
  private Path target() throws IOException {
    return Files.exists(output) ? output.toRealPath() : output;
  }

  /** Refuses to replace a file that is no report. */
  private static void requireReplaceable(Path output) throws IOException {
    DatabaseFiles.requireNoDanglingLink(output);
    if (!DatabaseFiles.exists(output)) {
      return;
    }
    byte[] start = ReportPage.START.getBytes(StandardCharsets.US_ASCII);
    boolean isReport = false;
    if (DatabaseFiles.isRegularFile(output)) {
      try (var in = Files.newInputStream(output)) {
        isReport = Arrays.equals(in.readNBytes(start.length), start);
      }
    }
    if (!isReport) {
      throw new Failure(output + ": exists and is no report; name another file");
    }
  }

  private String page(@Nullable Tree tree, DBComparator order, EntrySummary entries, Verifier found)
      throws IOException {
    Map<String, Long> counts = found.counts();
    long stored = counts.getOrDefault("storedBytes", 0L);
    long raw = counts.getOrDefault("rawBytes", 0L);
    long overwritten = Math.max(0, entries.entries() - entries.differentKeys());
    long live = Math.max(0, entries.differentKeys() - entries.tombstones());
    int runs = tree == null ? 0 : tree.sortedRuns();
    ReportPage page = new ReportPage("Database " + Printable.of(database.directory().toString()));
    page.paragraph(found.isWhole() ? "good" : "wrong", "verify: " + state(found));
    page.paragraph("note", origin());
    if (tree != null && found.deletedMeanwhile() > 0) {
      page.paragraph(
          "note",
          String.format(
              Locale.ROOT,
              "Another process writes, and deleted %,d of %,d tables before they were read."
                  + " Entries, keys, prefixes and their sizes are those of the other %,d.",
              found.deletedMeanwhile(),
              tree.tableCount(),
              tree.tableCount() - found.deletedMeanwhile()));
    }
    List<String[]> cards = new ArrayList<>();
    cards.add(new String[] {ReportPage.bytes(tree == null ? 0 : tree.bytes()), "in tables"});
    cards.add(new String[] {grouped(tree == null ? 0 : tree.tableCount()), "tables"});
    cards.add(new String[] {grouped(entries.entries()), "entries in tables"});
    cards.add(new String[] {"about " + grouped(live), "keys"});
    cards.add(new String[] {percent(entries.tombstones(), entries.entries()), "tombstones"});
    cards.add(new String[] {percent(overwritten, entries.entries()), "overwritten or deleted"});
    cards.add(new String[] {percent(stored, raw), "size after compression"});
    cards.add(
        new String[] {Integer.toString(runs), "places a read may look in (read amplification)"});
    cards.add(
        new String[] {
          live == 0 ? "-" : String.format(Locale.ROOT, "%.2f", (double) entries.entries() / live),
          "entries for each key (space amplification)"
        });
    page.cards(cards);

    page.section("What to do", "");
    page.list(advice(found, entries, overwritten, runs, tree, order));
    if (tree != null) {
      page.section(
          "Tables along the key space",
          "From the first key to the last; a table of level 0 has a row of its own. A table with a"
              + " stronger colour is larger. Point at a table for its keys.");
      page.drawing(LevelChart.of(tree, order));
      levels(page, tree, order);
    }
    page.section("Prefixes that take the most space", "Keys and values before compression.");
    List<List<String>> rows = new ArrayList<>();
    List<Long> lengths = new ArrayList<>();
    for (EntrySummary.Prefix each : entries.largestPrefixes(PREFIXES)) {
      rows.add(List.of(each.text(), grouped(each.entries()), ReportPage.bytes(each.bytes())));
      lengths.add(each.bytes());
    }
    page.bars(List.of("prefix", "entries", "size"), rows, lengths);
    histogram(page, "Sizes of keys", entries.keySizes());
    histogram(page, "Sizes of values", entries.valueSizes());
    files(page);
    page.section("Result of verify", "");
    List<String> findings =
        found.findings().stream().limit(MAX_FINDINGS).map(Finding::line).toList();
    page.list(findings.isEmpty() ? List.of("nothing was found") : findings);
    if (found.findings().size() > MAX_FINDINGS) {
      page.paragraph("note", "and " + (found.findings().size() - MAX_FINDINGS) + " more");
    }
    page.section("How it is written", "");
    page.list(
        List.of(
            "comparator: " + Printable.of(order.name()),
            "tables with a filter: " + counts.get("filters") + " of " + counts.get("tables"),
            "compression: " + compression(found.compressions()),
            "blocks: "
                + grouped(counts.getOrDefault("blocks", 0L))
                + ", on average "
                + ReportPage.bytes(raw / Math.max(1, counts.getOrDefault("blocks", 0L)))
                + " before compression",
            "batches in logs: " + grouped(counts.getOrDefault("batches", 0L))));
    return page.end();
  }

  /** Returns which files the page shows, and which version of kv wrote it. */
  private String origin() throws IOException {
    FileTime newest = FileTime.fromMillis(0);
    for (Path file : DatabaseFiles.files(database.directory()).keySet()) {
      try {
        FileTime changed = Files.getLastModifiedTime(file);
        newest = changed.compareTo(newest) > 0 ? changed : newest;
      } catch (NoSuchFileException deletedByAWriter) {
        continue;
      }
    }
    String version = ReportCommand.class.getPackage().getImplementationVersion();
    return Printable.of(database.directory().toAbsolutePath().normalize().toString())
        + ", last written at "
        + newest.toInstant().truncatedTo(ChronoUnit.SECONDS)
        + "; shown by kv"
        + (version == null ? "" : " " + version);
  }

  private static String compression(Map<String, Long> blocks) {
    List<String> parts = new ArrayList<>();
    blocks.forEach((name, count) -> parts.add(name + " in " + grouped(count) + " blocks"));
    return parts.isEmpty() ? "-" : String.join(", ", parts);
  }

  private static List<String> advice(
      Verifier found,
      EntrySummary entries,
      long overwritten,
      int runs,
      @Nullable Tree tree,
      DBComparator order) {
    List<String> advice = new ArrayList<>();
    switch (found.verdict()) {
      case WHOLE -> {}
      case DAMAGED ->
          advice.add(
              "The database is damaged. Restore a backup, or copy the directory and run 'kv"
                  + " repair'.");
      case UNSUPPORTED ->
          advice.add("The database is of a format that kv does not read: " + found.advice() + ".");
    }
    if (tree != null && tree.tables(0, new StoredKey.Order(order)).size() >= 8) {
      advice.add("Level 0 has many tables: compactions are behind, or 'kv compact' merges them.");
    }
    if (entries.tombstones() * 5 > entries.entries()) {
      advice.add(
          "More than a fifth of the entries are tombstones: 'kv compact --deletes-older-than 0'"
              + " takes them and what they hide from the disk.");
    } else if (overwritten * 10 > entries.entries() * 3) {
      advice.add(
          "Many entries are overwritten: 'kv compact' takes the old versions from the disk.");
    }
    Map<String, Long> counts = found.counts();
    if (runs > 1 && counts.getOrDefault("filters", 0L) == 0) {
      advice.add(
          "No table has a filter: a bloom filter with 10 bits for each key (Options.filterPolicy)"
              + " makes reads of absent keys quicker.");
    }
    long raw = counts.getOrDefault("rawBytes", 0L);
    if (raw > 1 << 20 && counts.getOrDefault("storedBytes", 0L) > raw * 0.95) {
      advice.add("The values do not get smaller by compression: it can be left out, or be zstd.");
    }
    if (advice.isEmpty()) {
      advice.add("Nothing.");
    }
    return advice;
  }

  private static void levels(ReportPage page, Tree tree, DBComparator order) {
    List<List<String>> rows = new ArrayList<>();
    List<Long> lengths = new ArrayList<>();
    for (int level = 0; level < DatabaseFile.LEVELS; level++) {
      List<ManifestEdit.NewTable> tables = tree.tables(level, new StoredKey.Order(order));
      if (!tables.isEmpty()) {
        long bytes = tables.stream().mapToLong(ManifestEdit.NewTable::size).sum();
        rows.add(List.of(Integer.toString(level), grouped(tables.size()), ReportPage.bytes(bytes)));
        lengths.add(bytes);
      }
    }
    page.bars(List.of("level", "tables", "size"), rows, lengths);
  }

  private static void histogram(ReportPage page, String heading, long[] counts) {
    page.section(heading, "");
    List<List<String>> rows = new ArrayList<>();
    List<Long> lengths = new ArrayList<>();
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        long from = i == 0 ? 0 : 1L << i - 1;
        long to = (1L << i) - 1;
        String size =
            from == to ? from + (from == 1 ? " byte" : " bytes") : from + " to " + to + " bytes";
        rows.add(List.of(size, grouped(counts[i])));
        lengths.add(counts[i]);
      }
    }
    page.bars(List.of("size", "entries"), rows, lengths);
  }

  private void files(ReportPage page) throws IOException {
    Map<DatabaseFile.Kind, long[]> kinds = new EnumMap<>(DatabaseFile.Kind.class);
    for (Map.Entry<Path, DatabaseFile> file :
        DatabaseFiles.files(database.directory()).entrySet()) {
      long[] sums = kinds.computeIfAbsent(file.getValue().kind(), kind -> new long[2]);
      sums[0]++;
      sums[1] += Math.max(0, file.getKey().toFile().length());
    }
    page.section("Files", "");
    List<List<String>> rows = new ArrayList<>();
    List<Long> lengths = new ArrayList<>();
    kinds.forEach(
        (kind, sums) -> {
          rows.add(
              List.of(
                  kind.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                  grouped(sums[0]),
                  ReportPage.bytes(sums[1])));
          lengths.add(sums[1]);
        });
    page.bars(List.of("kind", "files", "size"), rows, lengths);
  }

  private static String grouped(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private static String percent(long part, long whole) {
    return whole == 0 ? "-" : String.format(Locale.ROOT, "%.1f %%", 100.0 * part / whole);
  }
}
