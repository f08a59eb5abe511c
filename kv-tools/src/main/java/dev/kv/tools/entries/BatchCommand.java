package dev.kv.tools.entries;

import dev.kv.DB;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.Progress;
import dev.kv.tools.console.StandardStreams;
import dev.kv.tools.database.DatabaseArguments;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Applies operations from standard input as one. */
@Command(
    name = "batch",
    description =
        "Apply the operations on standard input, a line each, as one atomic, synced write: all of "
            + "them or, where a line is malformed, none. A line is 'put KEY VALUE' or 'delete KEY', with "
            + "single spaces or tabs between; a space in a key is \\x20.",
    mixinStandardHelpOptions = true)
public final class BatchCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;

  @Option(
      names = "--format",
      description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.",
      defaultValue = "text")
  private BatchLine format;

  @Option(names = "--create", description = "Create the database if there is none.")
  private boolean create;

  @Override
  public Integer call() throws IOException {
    WriteBatch batch = read();
    try (DB db = database.openForWriting(create)) {
      db.write(WriteOptions.SYNC, batch);
    }
    return 0;
  }

  private WriteBatch read() throws IOException {
    WriteBatch batch = WriteBatch.create();
    BufferedReader lines = StandardStreams.lines();
    AtomicLong number = new AtomicLong();
    try (Progress progress =
        Progress.of("batch", Progress.Unit.ENTRIES, Progress.UNKNOWN, number::get)) {
      progress.begin();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        number.incrementAndGet();
        if (!line.isEmpty()) {
          format.add(batch, line);
        }
      }
      return batch;
    } catch (IllegalArgumentException malformed) {
      throw new Failure(
          "line " + number + " of the input: " + malformed.getMessage() + "; nothing was written");
    }
  }
}
