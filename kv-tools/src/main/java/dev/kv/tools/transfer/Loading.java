package dev.kv.tools.transfer;

import dev.kv.DB;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.Progress;
import dev.kv.tools.console.StandardStreams;
import dev.kv.tools.database.DatabaseArguments;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Puts entries that come from a file or standard input, in batches, of which the last is synced.
 */
final class Loading {
  private static final int BATCH_BYTES = 1 << 20;
  private static final int BUFFER_BYTES = 1 << 16;

  private final String task;
  private final Source source;
  private final AtomicLong entries = new AtomicLong();

  /** How entries are read. */
  @FunctionalInterface
  interface Source {
    /** Reads entries to the end; a {@link Failure} names the place of what is none. */
    void read(InputStream in, TransferFormat.Sink sink) throws IOException;
  }

  /** Creates the load, of which progress is told as {@code task}. */
  Loading(String task, Source source) {
    this.task = task;
    this.source = source;
  }

  /**
   * Puts all entries of a file, or of standard input, into a database, which is created; returns
   * how many.
   */
  long run(DatabaseArguments database, @Nullable Path file) throws IOException {
    if (file == null) {
      try (DB db = database.openForWriting(true);
          Progress progress =
              Progress.of(task, Progress.Unit.ENTRIES, Progress.UNKNOWN, entries::get)) {
        progress.begin();
        load(db, new BufferedInputStream(StandardStreams.input(), BUFFER_BYTES));
      }
      return entries.get();
    }
    if (Files.isDirectory(file)) {
      throw new Failure(file + ": not a file but a directory");
    }
    AtomicLong bytes = new AtomicLong();
    try (InputStream in = new Counted(Files.newInputStream(file), bytes);
        DB db = database.openForWriting(true);
        Progress progress = Progress.of(task, Progress.Unit.BYTES, Files.size(file), bytes::get)) {
      progress.begin();
      load(db, new BufferedInputStream(in, BUFFER_BYTES));
    }
    return entries.get();
  }

  private void load(DB db, InputStream in) throws IOException {
    WriteBatch batch = WriteBatch.create();
    source.read(
        in,
        (key, value) -> {
          batch.put(key, value);
          if (batch.approximateSize() >= BATCH_BYTES) {
            db.write(batch);
            batch.clear();
          }
          entries.incrementAndGet();
        });
    db.write(WriteOptions.SYNC, batch);
  }

  /** A stream that counts what is read of it in bulk. */
  private static final class Counted extends FilterInputStream {
    private final AtomicLong bytes;

    Counted(InputStream in, AtomicLong bytes) {
      super(in);
      this.bytes = bytes;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int count = super.read(into, offset, length);
      bytes.addAndGet(Math.max(count, 0));
      return count;
    }
  }
}
