package dev.kv.tools.maintenance;

import dev.kv.DB;
import dev.kv.tools.console.Confirmation;
import dev.kv.tools.console.Meter;
import dev.kv.tools.console.Progress;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.database.DatabaseFiles;
import dev.kv.tools.text.Printable;
import java.io.IOException;
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
    if (!yes) {
      Confirmation.require(
          spec.commandLine().getErr(),
          "delete the database in "
              + Printable.of(database.directory().toString())
              + " with all its entries?");
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
}
