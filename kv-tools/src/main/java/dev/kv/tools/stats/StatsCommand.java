package dev.kv.tools.stats;

import dev.kv.DB;
import dev.kv.DBStats;
import dev.kv.tools.console.Output;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.text.Json;
import dev.kv.tools.verify.Finding;
import dev.kv.tools.verify.Verifier;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints the statistics of a database. */
@Command(
    name = "stats",
    description = "Print statistics of levels, memory and the recovery of the log.",
    mixinStandardHelpOptions = true)
public final class StatsCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;

  @Option(
      names = "--entries",
      description =
          "Read every entry of the tables too: print the compression ratio, the number of"
              + " tombstones and histograms of the sizes of keys and values. Exit 1 if a table is"
              + " damaged.")
  private boolean entries;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    DBStats stats;
    try (DB db = database.openForLookups()) {
      stats = db.stats();
    }
    EntryStats sizes = new EntryStats();
    Verifier tables = new Verifier(database.directory(), database.requireComparator(), sizes::add);
    if (entries) {
      tables.run();
      tables.findings().stream().filter(Finding::damage).forEach(StatsCommand::warn);
    }
    try (Output out = new Output()) {
      if (json) {
        Map<String, Object> members = StatsText.members(stats);
        if (entries) {
          members.putAll(tables.counts());
          members.putAll(sizes.members());
        }
        out.line(Json.of(members));
      } else {
        StatsText.of(stats).forEach(out::line);
        if (entries) {
          describe(tables, sizes).forEach(out::line);
        }
      }
    }
    return tables.isWhole() ? 0 : 1;
  }

  private static void warn(Finding finding) {
    System.err.println("kv: " + finding.line());
  }

  private static List<String> describe(Verifier tables, EntryStats sizes) {
    Map<String, Long> counts = tables.counts();
    long raw = counts.getOrDefault("rawBytes", 0L);
    long stored = counts.getOrDefault("storedBytes", 0L);
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add("entries         " + counts.get("entries") + " in tables, all versions counted");
    lines.add("tombstones      " + counts.get("tombstones"));
    lines.add(
        "compression     "
            + raw
            + " bytes in "
            + stored
            + (raw == 0 ? "" : String.format(Locale.ROOT, ", %.2f", (double) stored / raw)));
    lines.addAll(sizes.lines());
    return lines;
  }
}
