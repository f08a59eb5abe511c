package dev.kv.core.compaction;

import dev.kv.core.env.UnneededFile;
import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.table.WarmSuccession;
import dev.kv.core.table.format.BuildBuffers;
import dev.kv.core.table.format.DataBlock;
import dev.kv.core.table.format.TableBuilder;
import dev.kv.core.version.FileMetadata;
import dev.kv.env.WritableFile;
import dev.kv.errors.DBIOException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes the tables of a job, one after the other. Every finished table has been synced, and opened
 * once to verify it. {@link #close} deletes all tables unless they were {@linkplain #keep kept}.
 * Not thread-safe.
 */
public final class OutputWriter implements AutoCloseable {
  private static final EngineLogger LOG = EngineLogger.of(OutputWriter.class);

  private final OutputContext context;
  private final @Nullable WarmSuccession succession;
  private final long writtenAt;
  private final BuildBuffers buffers;
  private final List<FileMetadata> finished = new ArrayList<>();
  private final List<Path> created = new ArrayList<>();
  private @Nullable WritableFile file;
  private @Nullable TableBuilder builder;
  private byte[] smallest = {};
  private long number;
  private boolean kept;
  private boolean closed;

  /** Creates a writer without a table. */
  public OutputWriter(OutputContext context) {
    this(context, null);
  }

  /** Creates a writer without a table, which tells {@code succession} of all blocks. */
  OutputWriter(OutputContext context, @Nullable WarmSuccession succession) {
    this.context = context;
    this.succession = succession;
    this.writtenAt = context.writtenAt().getAsLong();
    this.buffers = context.buffers().acquire(context.format());
  }

  /** Returns the current size of the open table; 0 if none is open. */
  public long openBytes() {
    return builder == null ? 0 : builder.fileSize();
  }

  /** Adds the current entry of a cursor to the open table; opens a table first if none is open. */
  void add(ForwardIterator entry) {
    try {
      TableBuilder table = builder == null ? begin(entry.copyKey()) : builder;
      table.add(entry);
    } catch (IOException e) {
      throw failed(number, e);
    }
  }

  /** Adds an entry to the open table; opens a table first if none is open. */
  void add(
      ByteBuffer key, int keyOffset, int keyLength, ByteBuffer value, int from, int valueLength) {
    try {
      TableBuilder table =
          builder == null ? begin(InternalKey.copy(key, keyOffset, keyLength)) : builder;
      table.add(key, keyOffset, keyLength, value, from, valueLength);
    } catch (IOException e) {
      throw failed(number, e);
    }
  }

  /**
   * Adds a block to the open table, and resets it; opens a table first if none is open. A table
   * consists of such blocks only, or of single entries only.
   */
  public void add(DataBlock block) {
    try {
      TableBuilder table = builder == null ? begin(block.firstKey()) : builder;
      table.add(block);
    } catch (IOException e) {
      throw failed(number, e);
    }
  }

  private TableBuilder begin(byte[] firstKey) throws IOException {
    smallest = firstKey;
    number = context.target().numbers().getAsLong();
    Path path = context.target().table(number);
    created.add(path);
    file = // null would end as a table without entries, whose inputs are deleted
        Objects.requireNonNull(
            context.target().env().createWritable(path), "createWritable of the Env");
    builder = new TableBuilder(context.format(), context.comparator(), file, buffers);
    builder.setWrittenAt(writtenAt);
    if (succession != null) {
      succession.begin(number);
      builder.setObserver(succession);
    }
    return builder;
  }

  /** Finishes the open table, if there is one, and makes its content durable. */
  void finishTable() {
    UnsyncedTable table = endTable();
    if (table != null) {
      complete(table);
    }
  }

  /**
   * Ends the open table and returns it, or null if none is open. The caller passes it to {@link
   * #complete} or to {@link #abandon}, before it closes this object.
   */
  public @Nullable UnsyncedTable endTable() {
    TableBuilder table = builder;
    WritableFile out = file;
    if (table == null || out == null) {
      return null;
    }
    try {
      byte[] largest = table.lastKey();
      table.finish();
      builder = null;
      UnsyncedTable ended =
          new UnsyncedTable(out, new FileMetadata(number, table.fileSize(), smallest, largest));
      file = null;
      return ended;
    } catch (IOException e) {
      throw failed(number, e);
    }
  }

  /**
   * A table that was written and is not durable yet.
   *
   * @param file its file, which is open
   * @param metadata what a version knows of it
   */
  public record UnsyncedTable(WritableFile file, FileMetadata metadata) {}

  /**
   * Makes a table durable, closes its file, and verifies it; it is finished then. One thread at a
   * time may call this, beside the one that writes the next table.
   */
  public void complete(UnsyncedTable table) {
    WritableFile out = table.file();
    try {
      sync(out, context.target().table(table.metadata().number()));
      out.close();
    } catch (IOException e) {
      throw failed(table.metadata().number(), e);
    }
    context.verifier().accept(table.metadata());
    finished.add(table.metadata());
  }

  private static void sync(WritableFile out, Path path) throws IOException {
    try {
      out.sync();
    } catch (Throwable e) {
      UnneededFile.close(out, path, LOG);
      throw e;
    }
  }

  /** Closes the file of a table that is not needed. May be called by any thread. */
  public void abandon(UnsyncedTable table) {
    UnneededFile.close(table.file(), context.target().table(table.metadata().number()), LOG);
  }

  /** Returns the finished tables. Called after the last {@link #complete}. */
  public List<FileMetadata> finished() {
    return List.copyOf(finished);
  }

  /** Keeps the finished tables: {@link #close} does not delete them. */
  public void keep() {
    kept = true;
  }

  private DBIOException failed(long table, IOException e) {
    return new DBIOException(
        "cannot write the table " + context.target().table(table) + ": " + e, e);
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (builder != null) {
      builder.abandon();
      builder = null;
    }
    if (file != null) {
      UnneededFile.close(file, context.target().table(number), LOG);
      file = null;
    }
    if (kept) {
      context.buffers().release(buffers);
    } else {
      buffers.close();
      for (int i = 0; i < created.size(); i++) {
        UnneededFile.delete(context.target().env(), created.get(i), LOG);
      }
    }
  }
}
