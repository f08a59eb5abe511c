package dev.kv.tools.transfer;

import dev.kv.DB;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.errors.DBException;
import dev.kv.errors.OutcomeUnknownException;
import dev.kv.load.BulkLoadOptions;
import dev.kv.load.BulkLoader;
import dev.kv.tools.console.Cancellation;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.FailureText;
import dev.kv.tools.console.Progress;
import dev.kv.tools.console.StandardStreams;
import dev.kv.tools.database.ChangeFeedArguments;
import dev.kv.tools.database.DatabaseArguments;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Puts entries from a file or standard input, in batches of 1 MiB, the last one synced, or all at
 * once as a bulk load. The database is opened for the first batch or for the load, and one that
 * this creates is deleted again if no write was begun, so malformed or empty input creates none.
 *
 * <p>If the process is interrupted, a shutdown hook says how many entries were put. It takes the
 * permit to write and keeps it, so that nothing is put after the number was printed. If a write
 * takes longer than the hook waits, the message says that the number is a lower bound.
 */
final class Loading {
  private static final int BATCH_BYTES = 1 << 20;
  private static final int BUFFER_BYTES = 1 << 16;
  private static final long INTERRUPTED_SECONDS = 2;

  private final String task;
  private final TransferFormat format;
  private final DatabaseArguments database;
  private final boolean create;
  private final ChangeFeedArguments feed;
  private final WriteBatch batch = WriteBatch.create();
  private final AtomicLong entries = new AtomicLong();
  private final @Nullable BulkLoadOptions bulk;
  private final Semaphore permit = new Semaphore(1);
  private Runnable undoCreate = () -> {};
  private boolean isWriteBegun;
  private @Nullable DB db;
  private @Nullable BulkLoader loader;
  private volatile long put;

  /**
   * Creates a load.
   *
   * @param task the name of the command, for the progress
   * @param create whether to create the database if there is none
   * @param feed whether to write if that ends a change feed
   * @param bulk how to load all entries at once; null to put them in batches
   */
  Loading(
      String task,
      TransferFormat format,
      DatabaseArguments database,
      boolean create,
      ChangeFeedArguments feed,
      @Nullable BulkLoadOptions bulk) {
    this.bulk = bulk;
    this.task = task;
    this.format = format;
    this.database = database;
    this.create = create;
    this.feed = feed;
  }

  /**
   * Puts all entries of a file, or of standard input if it is null.
   *
   * @return the number of entries
   * @throws Failure if the input is malformed, or the database is missing and not to be created
   */
  long run(@Nullable Path file) throws IOException {
    database.requireTarget(create, feed);
    if (file != null && Files.isDirectory(file)) {
      throw new Failure(file + ": is a directory; name a file");
    }
    AtomicLong bytes = new AtomicLong();
    try (InputStream in =
            file == null
                ? StandardStreams.input()
                : new Counted(Files.newInputStream(file), bytes);
        Progress progress =
            file == null
                ? Progress.of(task, Progress.Unit.ENTRIES, Progress.UNKNOWN, entries::get)
                : Progress.of(task, Progress.Unit.BYTES, Files.size(file), bytes::get)) {
      progress.begin();
      load(new BufferedInputStream(in, BUFFER_BYTES));
    }
    return entries.get();
  }

  private void load(InputStream in) throws IOException {
    Thread interrupted = new Thread(this::reportInterrupt, "kv-interrupted");
    Runtime.getRuntime().addShutdownHook(interrupted);
    try {
      format.read(in, this::add);
      finish();
    } catch (Failure | DBException | IOException failure) {
      boolean known = !(failure instanceof OutcomeUnknownException);
      throw new Failure(FailureText.describe(failure) + soFar(known), failure);
    } finally {
      try {
        Runtime.getRuntime().removeShutdownHook(interrupted);
      } catch (IllegalStateException ending) {
        Thread.yield(); // the process ends, and the message is printed
      }
      if (loader != null) {
        loader.close();
      }
      DB open = db;
      if (open != null) {
        open.close();
        if (!isWriteBegun) {
          undoCreate.run();
        }
      }
    }
  }

  private void reportInterrupt() {
    boolean ended = false;
    try {
      ended = permit.tryAcquire(INTERRUPTED_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    System.err.println("kv: interrupted" + soFar(ended));
  }

  private String soFar(boolean known) {
    return soFar(put, known, bulk != null);
  }

  /**
   * Returns how many entries were put, as the end of a message.
   *
   * @param known true if no further ones can have been put
   * @param atOnce true if all entries are put at once
   */
  static String soFar(long count, boolean known, boolean atOnce) {
    if (!known) {
      return atOnce
          ? "; all entries were put, or none"
          : "; at least the first " + count + " entries were put";
    }
    return count == 0 ? "; nothing was put" : "; the first " + count + " entries were put";
  }

  private void add(byte[] key, byte[] value) {
    Cancellation.check();
    BulkLoadOptions options = bulk;
    if (options != null) {
      addTo(options, key, value);
      return;
    }
    batch.put(key, value);
    entries.incrementAndGet();
    if (batch.approximateSize() >= BATCH_BYTES) {
      write(WriteOptions.DEFAULT);
    }
  }

  private void addTo(BulkLoadOptions options, byte[] key, byte[] value) {
    BulkLoader open = loader;
    if (open == null) {
      open = open().loads().bulkLoader(options);
      loader = open;
    }
    try {
      open.put(key, value);
    } catch (IllegalArgumentException e) {
      throw new Failure(
          "entry " + (entries.get() + 1) + ": " + e.getMessage() + "; --sort takes any order");
    }
    entries.incrementAndGet();
  }

  private void finish() {
    BulkLoader open = loader;
    if (bulk == null) {
      if (entries.get() > 0) {
        write(WriteOptions.SYNC);
      }
    } else if (open != null) {
      put(open::finish);
    }
  }

  private DB open() {
    DB open = db;
    if (open == null) {
      undoCreate = database.undoOfCreate();
      open = database.openForWriting(create, feed);
      db = open;
    }
    return open;
  }

  private void write(WriteOptions options) {
    DB open = open();
    put(() -> open.write(options, batch));
    batch.clear();
  }

  private void put(Runnable write) {
    permit.acquireUninterruptibly();
    isWriteBegun = true;
    try {
      write.run();
      put = entries.get();
    } finally {
      permit.release();
    }
  }

  /** A stream that counts the bytes that are read from it. */
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
