package dev.kv.core.table.standalone;

import dev.kv.Options;
import dev.kv.bytes.Escape;
import dev.kv.core.env.UnneededFile;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.memory.Undo;
import dev.kv.core.table.format.BuildBuffers;
import dev.kv.core.table.format.KeyOrderException;
import dev.kv.core.table.format.TableBuilder;
import dev.kv.core.table.format.TableFormat;
import dev.kv.env.Env;
import dev.kv.env.WritableFile;
import dev.kv.errors.DBIOException;
import dev.kv.table.TableWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Writes a stand-alone table: of user keys, or for a later ingest, of internal keys with sequence
 * number 0.
 */
public final class UserTableWriter implements TableWriter {
  private static final EngineLogger LOG = EngineLogger.of(UserTableWriter.class);

  private enum State {
    OPEN,
    FAILED,
    FINISHED,
    ABANDONED
  }

  private final Path path;
  private final Env env;
  private final WritableFile file;
  private final BuildBuffers buffers;
  private final OffHeapBuffer entry;
  private final TableBuilder builder;
  private final Runnable releaseMemory;
  private final Undo memory = new Undo(this::freeMemory);

  /** The bytes after each user key: those of a tag, or none. */
  private final int trailer;

  private State state = State.OPEN;

  /**
   * Creates a table.
   *
   * @param path the file, which must not exist
   * @param order the order of user keys, or of internal keys for a table to be ingested
   * @param budget limits the memory
   * @param releaseMemory is called after the writer has freed its memory, or if none is returned
   */
  public UserTableWriter(
      Path path,
      Options options,
      KeyComparator order,
      OffHeapBudget budget,
      Runnable releaseMemory) {
    this.path = path;
    this.releaseMemory = releaseMemory;
    trailer = order instanceof InternalKeyComparator ? InternalKey.TRAILER : 0;
    env = options.env();
    try (Undo release = new Undo(releaseMemory)) {
      TableFormat format = TableFormat.of(options);
      entry = new OffHeapBuffer(budget, 0);
      buffers = new BuildBuffers(format, budget);
      try (Undo undo = new Undo(this::freeBuffers)) {
        file = create(env, path);
        try {
          builder = new TableBuilder(format, order, file, buffers);
        } catch (Throwable e) { // without an Undo, for which there may be no memory either
          UnneededFile.close(file, path, LOG);
          UnneededFile.delete(env, path, LOG);
          throw e;
        }
        undo.cancel();
      }
      release.cancel();
    }
    builder.setWrittenAt(TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis()));
  }

  private static WritableFile create(Env env, Path path) {
    try {
      if (env.exists(path)) {
        throw new DBIOException(Escape.text(path.toString()) + " exists already");
      }
      return env.createWritable(path);
    } catch (IOException e) {
      throw failed("create", path, e);
    }
  }

  @Override
  public void put(byte[] key, byte[] value) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    requireOpen();
    if (trailer > 0) {
      InternalKey.requireWritable(key.length);
    }
    int keyLength = Math.addExact(key.length, trailer);
    int length = Math.addExact(keyLength, value.length);
    try {
      ByteBuffer bytes = entry.ensureCapacity(length);
      bytes.put(0, key);
      if (trailer > 0) {
        bytes.putLong(key.length, InternalKey.pack(0, ValueKind.VALUE));
      }
      bytes.put(keyLength, value);
      builder.add(bytes, 0, keyLength, bytes, keyLength, value.length);
    } catch (IOException e) {
      stop();
      throw failed("write", path, e);
    } catch (KeyOrderException e) {
      throw e; // before anything was added
    } catch (Throwable e) {
      stop();
      throw e;
    }
  }

  @Override
  public void flush() {
    requireOpen();
    try {
      builder.flush();
    } catch (IOException e) {
      stop();
      throw failed("write", path, e);
    } catch (Throwable e) {
      stop();
      throw e;
    }
  }

  @Override
  public long entryCount() {
    return builder.entryCount();
  }

  @Override
  public long fileSize() {
    return builder.fileSize();
  }

  @Override
  public void finish() {
    requireOpen();
    try {
      state = State.FAILED; // what a failure leaves may be a part of a table
      builder.finish();
      file.sync();
      if (state != State.FAILED) { // the filter policy has closed the writer
        requireOpen();
      }
      state = State.FINISHED;
      file.close();
      Path directory = path.toAbsolutePath().getParent();
      if (directory != null) {
        env.syncDirectory(directory);
      }
    } catch (IOException e) {
      throw failed("finish", path, e);
    } finally {
      if (state == State.FINISHED) {
        memory.close();
      }
    }
  }

  @Override
  public void abandon() {
    if (state != State.FAILED) {
      requireOpen();
    }
    state = State.ABANDONED;
    memory.close();
    try {
      try {
        file.close(); // first: Windows does not delete an open file
      } finally {
        env.delete(path);
      }
    } catch (IOException e) {
      throw failed("delete", path, e);
    }
  }

  @Override
  public void close() {
    if (state == State.OPEN || state == State.FAILED) {
      abandon();
    }
  }

  private void freeMemory() {
    freeBuffers();
    releaseMemory.run();
  }

  private void freeBuffers() {
    buffers.close();
    entry.close();
  }

  private void requireOpen() {
    if (state != State.OPEN) {
      throw new IllegalStateException("the table writer is " + state);
    }
  }

  /**
   * Ends the table after a failure, which may have left a part of an entry: nothing can follow
   * that. What the program's comparator or filter policy has closed stays closed.
   */
  private void stop() {
    if (state == State.OPEN) {
      state = State.FAILED;
    }
  }

  private static DBIOException failed(String what, Path path, IOException cause) {
    return new DBIOException(
        "cannot " + what + " table " + Escape.text(path.toString()) + ": " + cause, cause);
  }
}
