package dev.kv.tools.maintenance;

import dev.kv.DB;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.Meter;
import dev.kv.tools.console.Progress;
import dev.kv.tools.console.StandardStreams;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.database.DatabaseFiles;
import dev.kv.tools.text.Printable;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Deletes a database. */
@Command(
    name = "destroy",
    description =
        "Delete the files of a database, and the directory if nothing else is in it. Asks first.",
    mixinStandardHelpOptions = true)
public final class DestroyCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private DatabaseArguments database;

  @Option(names = "--yes", description = "Do not ask.")
  private boolean yes;

  @Override
  public Integer call() throws IOException {
    database.requireRemains();
    if (!yes && !isConfirmed()) {
      throw new Failure("nothing was deleted: the answer was not 'yes'");
    }
    Meter meter = new Meter();
    try (Progress progress =
        Progress.of(
            "destroy",
            Progress.Unit.FILES,
            DatabaseFiles.files(database.directory()).size(),
            meter::filesDeleted)) {
      progress.begin();
      DB.destroy(database.directory(), database.options().env(meter).build());
    }
    return 0;
  }

  private boolean isConfirmed() throws IOException {
    PrintWriter err = spec.commandLine().getErr();
    err.println(
        "kv: delete the database in "
            + Printable.of(database.directory().toString())
            + " with all its entries? (yes/no)");
    err.flush();
    String answer = StandardStreams.lines().readLine();
    return answer != null && answer.strip().toLowerCase(Locale.ROOT).matches("y|yes");
  }
}
