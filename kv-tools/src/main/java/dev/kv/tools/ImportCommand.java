package dev.kv.tools;

import dev.kv.DB;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Puts entries that export wrote. */
@Command(
    name = "import",
    description = {
      "Put the entries that export wrote, from a file or standard input. Creates the database if",
      "there is none. Where the input is malformed, what stands before may have been put."
    },
    mixinStandardHelpOptions = true)
final class ImportCommand implements Callable<Integer> {
  private static final int BATCH_BYTES = 1 << 20;

  @Mixin private DatabaseArguments database;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "FILE",
      description = "By default standard input.")
  private @Nullable Path file;

  @Option(
      names = "--format",
      description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.",
      defaultValue = "hex")
  private TransferFormat format;

  @Override
  public Integer call() throws IOException {
    long[] count = new long[1];
    Path path = file;
    try (Progress progress =
            path == null
                ? Progress.counting("import")
                : Progress.ofBytes("import", Files.size(path));
        Input in = new Input(path, path == null ? null : progress);
        DB db = database.openForWriting(true)) {
      WriteBatch batch = WriteBatch.create();
      format.read(
          new BufferedInputStream(in, 1 << 16),
          (key, value) -> {
            batch.put(key, value);
            if (batch.approximateSize() >= BATCH_BYTES) {
              db.write(batch);
              batch.clear();
            }
            count[0]++;
            if (path == null) {
              progress.step();
            }
          });
      db.write(WriteOptions.SYNC, batch);
    }
    try (Output out = new Output()) {
      out.line(count[0] + " entries");
    }
    return 0;
  }

  /** A file, of which progress is told, or standard input, which stays open. */
  private static final class Input extends FilterInputStream {
    private final @Nullable Progress progress;

    Input(@Nullable Path file, @Nullable Progress progress) throws IOException {
      super(file == null ? System.in : Files.newInputStream(file));
      this.progress = progress;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int count = super.read(into, offset, length);
      if (progress != null) {
        progress.step(Math.max(count, 0));
      }
      return count;
    }

    @Override
    public void close() throws IOException {
      if (progress != null) {
        super.close();
      }
    }
  }
}
