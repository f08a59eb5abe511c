package dev.kv.core.table.standalone;

import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.bytes.Escape;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.DirectMemory;
import dev.kv.core.memory.RefCounted;
import dev.kv.core.memory.Undo;
import dev.kv.core.table.Table;
import dev.kv.core.table.TableMemory;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.MappingQuota;
import dev.kv.core.table.cache.ReadFlags;
import dev.kv.core.table.cache.TableFile;
import dev.kv.errors.DBIOException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/** Reads a stand-alone table of user keys. */
public final class UserTableReader implements dev.kv.table.TableReader {
  private final UserKeyComparator order;
  private final OpenTable table;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Opens {@code path}.
   *
   * @param memory the memory of the table
   * @param releaseMemory ends the use of the memory; also called if the open fails
   */
  public UserTableReader(Path path, Options options, TableMemory memory, Runnable releaseMemory) {
    order = new UserKeyComparator(options.comparator());
    table = new OpenTable(path, options, order, memory, releaseMemory);
  }

  @Override
  public DBIterator iterator(ReadOptions options) {
    Objects.requireNonNull(options, "options");
    retain();
    try (Undo undo = new Undo(table::release)) {
      if (options.descending()) {
        throw new IllegalArgumentException(
            "descending is not supported: an iterator moves in both directions");
      }
      KeyBounds bounds = KeyBounds.of(options, order);
      ReadFlags flags = ReadFlags.of(options.verifyChecksums(), options.fillCache());
      UserTableIterator cursor =
          new UserTableIterator(
              table.reader, flags, table::release, order, bounds, options.keysOnly());
      undo.cancel();
      return cursor;
    }
  }

  @Override
  public long approximateOffsetOf(byte[] key) {
    Objects.requireNonNull(key, "key");
    retain();
    try {
      ByteBuffer direct = DirectMemory.allocate(key.length).put(0, key);
      return table.reader.approximateOffsetOf(direct, 0, key.length);
    } finally {
      table.release();
    }
  }

  /** Closes the reader. The table is closed with its last iterator. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      table.release();
    }
  }

  /** Keeps the table open beside a close. */
  private void retain() {
    if (closed.get() || !table.tryRetain()) {
      throw new IllegalStateException("the table reader is closed");
    }
  }

  /** The open table and the resources that belong to it. */
  private static final class OpenTable extends RefCounted {
    private final Runnable releaseMemory;
    private final BlockProvider blocks;
    private final Table reader;

    OpenTable(
        Path path,
        Options options,
        UserKeyComparator order,
        TableMemory memory,
        Runnable releaseMemory) {
      this.releaseMemory = releaseMemory;
      blocks = memory.newBlocks(options.tables().nativeSnappy());
      try (Undo undo = new Undo(this::freeMemory)) {
        TableFile file =
            TableFile.open(options.env(), path, new MappingQuota(1, memory.mappings()));
        long id = memory.blocks().newId();
        reader = Table.open(file, id, order, options.filterPolicy(), blocks);
        undo.cancel();
      } catch (IOException e) {
        throw new DBIOException("cannot open table " + Escape.text(path.toString()) + ": " + e, e);
      }
    }

    @Override
    protected void free() {
      reader.free();
      freeMemory();
    }

    private void freeMemory() {
      blocks.close();
      releaseMemory.run();
    }
  }
}
