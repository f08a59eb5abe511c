package dev.kv.tools.maintenance;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.RepairReport;
import dev.kv.core.env.FileName;
import dev.kv.env.Env;
import dev.kv.tools.console.Meter;
import dev.kv.tools.console.Output;
import dev.kv.tools.console.Progress;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.database.DatabaseFiles;
import dev.kv.tools.text.Json;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Makes a damaged database open again. */
@Command(
    name = "repair",
    description =
        "Make a damaged database open again with all that can be read of it. What was read is "
            + "rewritten; files that could not be read whole are kept in lost/.",
    mixinStandardHelpOptions = true)
public final class RepairCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;

  @Option(
      names = "--dry-run",
      description =
          "Change nothing, and tell what a repair would do. Takes as much room in the temporary "
              + "directory as the database does.")
  private boolean dryRun;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    database.requireDirectory();
    Options.Builder options = Options.builder().comparator(database.requireComparator());
    RepairReport report;
    Meter meter = new Meter();
    long tables = DatabaseFiles.bytes(database.directory(), FileName.Kind.TABLE);
    long logs = DatabaseFiles.bytes(database.directory(), FileName.Kind.LOG);
    try (Progress progress =
        Progress.of(
            "repair",
            Progress.Unit.BYTES,
            tables + 2 * logs, // a log becomes tables, and those are merged like others
            meter::bytesRead)) {
      progress.begin();
      report = repair(options, meter);
    }
    try (Output out = new Output()) {
      Map<String, Object> members = members(report);
      if (json) {
        out.line(Json.of(members));
      } else {
        out.line(dryRun ? "a repair would give" : "repaired");
        members.forEach((name, value) -> out.line(String.format("  %-16s %s", name, value)));
      }
    }
    return 0;
  }

  private RepairReport repair(Options.Builder options, Env env) throws IOException {
    if (!dryRun) {
      return DB.repair(database.directory(), options.env(env).build());
    }
    database.noteWriter();
    try (OverlayEnv overlay = new OverlayEnv(env, database.directory())) {
      return DB.repair(database.directory(), options.env(overlay).build());
    }
  }

  private static Map<String, Object> members(RepairReport report) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("tablesKept", report.tablesKept());
    members.put("tablesRewritten", report.tablesRewritten());
    members.put("logsConverted", report.logsConverted());
    members.put("filesLost", report.filesLost());
    members.put("entries", report.entries());
    members.put("bytesLost", report.bytesLost());
    return members;
  }
}
