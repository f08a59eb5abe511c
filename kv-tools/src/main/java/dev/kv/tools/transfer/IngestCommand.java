package dev.kv.tools.transfer;

import dev.kv.DB;
import dev.kv.errors.CorruptionException;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.Meter;
import dev.kv.tools.console.Output;
import dev.kv.tools.console.Progress;
import dev.kv.tools.database.ChangeFeedArguments;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.database.DatabaseFiles;
import dev.kv.tools.text.Json;
import dev.kv.tools.text.Quantity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Adds the entries of tables that were written elsewhere. */
@Command(
    name = "ingest",
    description =
        "Add the entries of tables that a program wrote for this (TableWriter.forIngest), all at"
            + " once. The files are read completely first, and stay where they are.",
    mixinStandardHelpOptions = true)
public final class IngestCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;
  @Mixin private ChangeFeedArguments feed;

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "TABLE",
      description = "The tables, in any order; their keys must not overlap.")
  private List<Path> tables;

  @Option(names = "--create", description = "Create the database if there is none.")
  private boolean create;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() {
    database.requireTarget(create, feed);
    Meter meter = new Meter();
    try {
      database.write(create, feed, database.options().env(meter), db -> ingest(db, meter));
    } catch (CorruptionException damage) {
      throw tables.contains(Path.of(damage.file()))
          ? new Failure(damage.getMessage() + "; nothing was added")
          : damage;
    }
    try (Output out = new Output()) {
      out.line(
          json ? Json.of(Map.of("tables", tables.size())) : Quantity.of(tables.size(), "table"));
    }
    return 0;
  }

  private void ingest(DB db, Meter meter) {
    try (Progress progress =
        Progress.of("ingest", Progress.Unit.BYTES, this::bytesToRead, meter::bytesRead)) {
      progress.begin();
      db.loads().ingest(tables);
    }
  }

  /**
   * Returns the bytes of the tables twice: each is checked, and then copied. It is unknown beside
   * other tables: one that these overlap is read once, and written again.
   */
  private long bytesToRead() {
    long bytes = 0;
    try {
      if (DatabaseFiles.hasTables(database.directory())) {
        return Progress.UNKNOWN;
      }
      for (Path table : tables) {
        bytes += Files.size(table);
      }
    } catch (IOException unreadable) {
      return Progress.UNKNOWN; // the ingest says what is wrong with it
    }
    return 2 * bytes;
  }
}
