package dev.kv.tools;

import dev.kv.DB;
import dev.kv.WriteBatch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Puts entries from standard input. */
@Command(
    name = "load",
    description = "Put the entries that 'scan' printed, from standard input.",
    mixinStandardHelpOptions = true)
final class LoadCommand implements Callable<Integer> {
  private static final int BATCH_BYTES = 1 << 20;

  @Mixin private DatabaseArguments database;

  @Option(
      names = "--format",
      description = "The lines' format, as scan has it; default ${DEFAULT-VALUE}.",
      defaultValue = "hex")
  private EntryFormat format;

  @Override
  public Integer call() throws IOException {
    try (DB db = database.openForWriting(true);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Progress progress = Progress.counting("load")) {
      WriteBatch batch = WriteBatch.create();
      long number = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        add(batch, line, ++number);
        if (batch.approximateSize() >= BATCH_BYTES) {
          db.write(batch);
          batch.clear();
        }
        progress.step();
      }
      db.write(dev.kv.WriteOptions.SYNC, batch);
    }
    return 0;
  }

  private void add(WriteBatch batch, String line, long number) {
    try {
      Map.Entry<byte[], byte[]> entry = format.parse(line);
      batch.put(entry.getKey(), entry.getValue());
    } catch (IllegalArgumentException malformed) {
      throw new Failure(
          "standard input, line "
              + number
              + ": "
              + malformed.getMessage()
              + "; the lines before it may have been loaded");
    }
  }
}
