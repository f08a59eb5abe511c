package dev.kv.core.db;

import dev.kv.DBReadOnlyException;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.core.read.DatabaseReader;
import dev.kv.core.read.SnapshotList;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A database opened for reading only, perhaps beside its writer: the state at the open, and no
 * threads.
 */
final class ReadOnlyDB extends OpenDatabase {
  private final DatabaseReader reader;
  private final Runnable freeRest;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Creates it; {@code freeRest} frees what is left once no read begins any more. */
  ReadOnlyDB(
      DatabaseReader reader, SnapshotList snapshots, DatabaseStats stats, Runnable freeRest) {
    super(reader, snapshots, stats);
    this.reader = reader;
    this.freeRest = freeRest;
  }

  @Override
  boolean isClosed() {
    return closed.get();
  }

  @Override
  public void put(WriteOptions options, byte[] key, byte[] value) {
    throw refused();
  }

  @Override
  public void put(WriteOptions options, ByteBuffer key, ByteBuffer value) {
    throw refused();
  }

  @Override
  public void delete(WriteOptions options, byte[] key) {
    throw refused();
  }

  @Override
  public void delete(WriteOptions options, ByteBuffer key) {
    throw refused();
  }

  @Override
  public void write(WriteOptions options, WriteBatch batch) {
    throw refused();
  }

  @Override
  public void compactRange(byte @Nullable [] begin, byte @Nullable [] end) {
    throw refused();
  }

  @Override
  public void flush() {
    throw refused();
  }

  /** There are no compactions to suspend. */
  @Override
  public void suspendCompactions() {
    checkOpen();
  }

  @Override
  public void resumeCompactions() {
    checkOpen();
  }

  private DBReadOnlyException refused() {
    checkOpen();
    return new DBReadOnlyException("the database was opened with Options.readOnly");
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      reader.close();
      freeRest.run();
    }
  }
}
