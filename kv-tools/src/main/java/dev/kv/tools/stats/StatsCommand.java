package dev.kv.tools.stats;

import dev.kv.ReadOnlyDB;
import dev.kv.admin.DBStats;
import dev.kv.tools.console.Output;
import dev.kv.tools.console.StandardStreams;
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
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** Prints the statistics of a database. */
@Command(
    name = "stats",
    description = "Print statistics of levels, entries and the recovery of the log.",
    mixinStandardHelpOptions = true)
public final class StatsCommand implements Callable<Integer> {
  private static final double SHORTEST_INTERVAL = 0.01;

  @Spec private CommandSpec spec;
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

  @Option(
      names = "--watch",
      description =
          "Print the levels, files and sizes again and again, until Ctrl-C. Reads the MANIFEST and"
              + " the directory only, so that it takes nothing from a process that has the database"
              + " open.")
  private boolean watch;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      description = "The time between two samples of --watch; default ${DEFAULT-VALUE}.")
  private double interval = 2;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "End --watch after that many samples; default 0, which means no end.")
  private int count;

  @Override
  public Integer call() throws IOException {
    if (watch) {
      return watch();
    }
    ParseResult given = spec.commandLine().getParseResult();
    if (given.hasMatchedOption("--interval") || given.hasMatchedOption("--count")) {
      throw new ParameterException(spec.commandLine(), "--interval and --count need --watch");
    }
    DBStats stats;
    String keys;
    try (ReadOnlyDB db = database.openForLookups()) {
      stats = db.admin().stats();
      keys = db.admin().property(PropertiesCommand.ESTIMATE);
    }
    EntryStats sizes = new EntryStats();
    Verifier tables = new Verifier(database.directory(), database.requireComparator(), sizes::add);
    if (entries) {
      tables.run();
      warnings(tables).forEach(StatsCommand::warn);
    }
    try (Output out = new Output()) {
      if (json) {
        Map<String, Object> members = StatsText.members(stats);
        if (keys != null) {
          members.put("estimatedKeys", Long.valueOf(keys));
        }
        if (entries) {
          members.putAll(tables.counts());
          members.putAll(sizes.members());
        }
        out.line(Json.of(members));
      } else {
        StatsText.of(stats).forEach(out::line);
        if (keys != null) {
          out.line("keys            " + keys + ", estimated");
        }
        if (entries) {
          describe(tables, sizes).forEach(out::line);
        }
      }
    }
    return tables.isWhole() ? 0 : 1;
  }

  private int watch() throws IOException {
    if (entries) {
      throw new ParameterException(spec.commandLine(), "--watch and --entries exclude each other");
    }
    if (!(interval >= SHORTEST_INTERVAL) || count < 0) {
      throw new ParameterException(
          spec.commandLine(),
          "--interval must be at least " + SHORTEST_INTERVAL + ", and --count at least 0");
    }
    database.requireDatabase();
    boolean redraw = !json && StandardStreams.isTerminal(StandardStreams.OUTPUT);
    StatsWatch.Style style =
        json ? StatsWatch.Style.JSON : redraw ? StatsWatch.Style.SCREEN : StatsWatch.Style.LINES;
    try (Output out = new Output()) {
      new StatsWatch(database.directory(), style, out)
          .run((long) (interval * TimeUnit.SECONDS.toMillis(1)), count);
    }
    return 0;
  }

  /** Returns what makes the numbers of the entries incomplete. */
  static List<Finding> warnings(Verifier tables) {
    List<Finding> warnings =
        new ArrayList<>(tables.findings().stream().filter(Finding::damage).toList());
    Finding deletion = tables.deletion();
    if (deletion != null) {
      warnings.add(deletion);
    }
    return warnings;
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
