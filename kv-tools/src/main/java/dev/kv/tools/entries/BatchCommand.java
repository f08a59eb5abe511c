package dev.kv.tools.entries;

import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.tools.console.Cancellation;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.Progress;
import dev.kv.tools.console.StandardStreams;
import dev.kv.tools.database.ChangeFeedArguments;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.text.Utf8Lines;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Applies the operations on standard input as one write. */
@Command(
    name = "batch",
    description =
        "Apply the operations on standard input, one on each line, as one atomic write with a sync."
            + " If a line is malformed, nothing is written. A line is 'put KEY VALUE' or 'delete"
            + " KEY', separated by one space or tab; a space in a key is \\x20.",
    mixinStandardHelpOptions = true)
public final class BatchCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;
  @Mixin private ChangeFeedArguments feed;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "text, hex or json; default text.")
  private BatchLine format = BatchLine.TEXT;

  @Option(names = "--json", description = "Short for --format json.")
  void json(boolean json) {
    if (json) {
      format = BatchLine.JSON;
    }
  }

  @Option(names = "--create", description = "Create the database if there is none.")
  private boolean create;

  @Override
  public Integer call() throws IOException {
    database.requireTarget(create, feed);
    WriteBatch batch = read();
    if (batch.count() == 0) {
      return 0;
    }
    database.write(create, feed, database.options(), db -> db.write(WriteOptions.SYNC, batch));
    return 0;
  }

  private WriteBatch read() throws IOException {
    WriteBatch batch = WriteBatch.create();
    Utf8Lines lines = new Utf8Lines(StandardStreams.input());
    AtomicLong number = new AtomicLong();
    try (Progress progress =
        Progress.of("batch", Progress.Unit.ENTRIES, Progress.UNKNOWN, number::get)) {
      progress.begin();
      for (String line = lines.next(); line != null; line = lines.next()) {
        number.incrementAndGet();
        Cancellation.check();
        if (!line.isEmpty()) {
          format.add(batch, line);
        }
      }
      return batch;
    } catch (IllegalArgumentException malformed) {
      throw new Failure(lines.place() + malformed.getMessage() + "; nothing was written");
    }
  }
}
