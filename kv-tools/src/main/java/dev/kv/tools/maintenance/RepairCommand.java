package dev.kv.tools.maintenance;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.admin.RepairReport;
import dev.kv.bytes.DBComparator;
import dev.kv.core.inspect.DatabaseFile;
import dev.kv.env.Env;
import dev.kv.errors.DBIOException;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.FailureText;
import dev.kv.tools.console.Meter;
import dev.kv.tools.console.Output;
import dev.kv.tools.console.Progress;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.database.DatabaseFiles;
import dev.kv.tools.text.Json;
import dev.kv.tools.verify.Verifier;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Makes a damaged database open again. */
@Command(
    name = "repair",
    description =
        "Make a damaged database open again with all entries that can be read. They are written to"
            + " new tables, with the compression and the filter of the largest one; old logs,"
            + " MANIFESTs and damaged tables are moved to lost/.",
    mixinStandardHelpOptions = true)
public final class RepairCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;

  @Option(
      names = "--dry-run",
      description =
          "Change nothing; print what a repair would give, and whether the database needs one."
              + " Takes as much space in the temporary directory as the database does.")
  private boolean dryRun;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  /** True if another process has the database open, which it may for a dry run. */
  private boolean written;

  /** What was found of the database before the repair: null if it was not checked. */
  private @Nullable Boolean whole;

  @Override
  public Integer call() throws IOException {
    database.requireRemains();
    DBComparator order = database.requireComparator();
    database.noteGuessedOrder();
    RepairReport report;
    Meter meter = new Meter();
    if (!dryRun) {
      database.requireConfirmedOrder();
    } else {
      written = database.noteWriter();
      whole = isWhole(order);
    }
    long tables = DatabaseFiles.bytes(database.directory(), DatabaseFile.Kind.TABLE);
    long logs = DatabaseFiles.bytes(database.directory(), DatabaseFile.Kind.LOG);
    try (Progress progress =
        Progress.of(
            "repair",
            Progress.Unit.BYTES,
            tables + 2 * logs, // a log becomes tables, which are then merged like the others
            meter::bytesRead)) {
      progress.begin();
      report = repair(order, meter);
    }
    try (Output out = new Output()) {
      Map<String, Object> members = members(report);
      if (json) {
        if (whole != null) {
          members.put("whole", whole);
        }
        out.line(Json.of(members));
      } else {
        if (Boolean.TRUE.equals(whole)) {
          out.line("the database is whole and needs no repair");
        }
        out.line(dryRun ? "a repair would give" : "repaired");
        members.forEach(
            (name, value) -> out.line(String.format(Locale.ROOT, "  %-16s %s", name, value)));
      }
    }
    return 0;
  }

  private boolean isWhole(DBComparator order) throws IOException {
    if (!DatabaseFiles.isDatabase(database.directory())) {
      return false;
    }
    Verifier verifier = new Verifier(database.directory(), order, (key, value) -> {});
    verifier.run();
    return verifier.isWhole();
  }

  private RepairReport repair(DBComparator order, Env env) throws IOException {
    if (!dryRun) {
      return repairIn(env, order);
    }
    try (OverlayEnv overlay = new OverlayEnv(env, database.directory())) {
      return repairIn(overlay, order);
    } catch (DBIOException e) {
      throw failureOfDryRun(e);
    }
  }

  /** Returns the failure of a dry run, which has repaired nothing. */
  private RuntimeException failureOfDryRun(DBIOException e) {
    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof OverlayEnv.ScratchException full) {
        return new Failure(
            FailureText.describe(full)
                + "; JAVA_OPTS=-Djava.io.tmpdir=... gives another temporary directory");
      }
      if (written && cause instanceof NoSuchFileException) {
        return new Failure(
            database.directory() + ": the other process has changed it meanwhile; try again");
      }
    }
    return new DBIOException(
        String.valueOf(e.getMessage())
            .replace(
                " is repaired, but its old files are not all ",
                " can be repaired, but its old files cannot all be ")
            .replaceFirst("; repair it again .*", "; nothing was changed"),
        e.getCause());
  }

  private RepairReport repairIn(Env env, DBComparator order) throws IOException {
    Options options =
        TableForm.of(database.directory()).applyTo(database.options(order).env(env)).build();
    return DB.repair(database.directory(), options);
  }

  private Map<String, Object> members(RepairReport report) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("tablesKept", report.tablesKept());
    members.put("tablesRewritten", report.tablesRewritten());
    members.put("logsConverted", report.logsConverted());
    members.put("filesReplaced", report.filesReplaced());
    members.put("filesLost", report.filesLost());
    members.put("entries", report.entries());
    members.put("bytesLost", report.bytesLost());
    return members;
  }
}
