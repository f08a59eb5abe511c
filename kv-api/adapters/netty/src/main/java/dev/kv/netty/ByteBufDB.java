package dev.kv.netty;

import dev.kv.KeyValueStore;
import dev.kv.ReadOptions;
import dev.kv.WriteOptions;
import dev.kv.bytes.PinnedValue;
import dev.kv.errors.OffHeapExhaustedException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes a database, or a view of one, with buffers of Netty. Thread-safe, as it is.
 *
 * <pre>{@code
 * ByteBufDB db = ByteBufDB.of(database);
 * ByteBuf value = db.retained(key);
 * if (value != null) {
 *   context.writeAndFlush(value); // releases the value after the write
 * }
 * }</pre>
 *
 * <p>Buffers that are passed in: a call reads their readable bytes, changes no index, keeps no
 * reference and releases nothing.
 */
public final class ByteBufDB {
  private final KeyValueStore db;

  private ByteBufDB(KeyValueStore db) {
    this.db = db;
  }

  /**
   * Returns a view of a database, or of a view such as a space.
   *
   * @param db the database, which the caller still owns and closes, or the view
   * @return the view, which needs no close
   */
  public static ByteBufDB of(KeyValueStore db) {
    return new ByteBufDB(Objects.requireNonNull(db, "db"));
  }

  /**
   * Returns what is read and written.
   *
   * @return the database or the view
   */
  public KeyValueStore store() {
    return db;
  }

  /**
   * Returns the value of a key in the newest state, in the memory of the cached block.
   *
   * @param key the key
   * @return the value, which the caller releases, or null if the key does not exist
   * @see #retained(ReadOptions, ByteBuf)
   */
  public @Nullable ByteBuf retained(ByteBuf key) {
    return retained(ReadOptions.DEFAULT, key);
  }

  /**
   * Returns the value of a key, in the memory of the cached block.
   *
   * <p>The buffer is read-only and has a reference count of its own, which is 1. The last release
   * ends the pin of the block; a release after it throws {@link
   * io.netty.util.IllegalReferenceCountException}, and so does a read. The buffer stays valid after
   * the close of the database. Netty's leak detector, with the level that is set for it, reports a
   * buffer that is collected before it is released. {@link PinnedValue} says what is copied, and
   * what the memory counts against.
   *
   * @param options how to read
   * @param key the key
   * @return the value, which the caller releases, or null if the key does not exist
   * @throws IllegalArgumentException if the options are {@linkplain ReadOptions#isScanOnly() for
   *     scans}
   */
  public @Nullable ByteBuf retained(ReadOptions options, ByteBuf key) {
    PinnedValue value = db.pinned(options, view(key));
    return value == null ? null : LeakDetection.track(new ValueByteBuf(value));
  }

  /**
   * Sets the value of a key.
   *
   * @param key the key
   * @param value the value
   */
  public void put(ByteBuf key, ByteBuf value) {
    put(WriteOptions.DEFAULT, key, value);
  }

  /**
   * Sets the value of a key.
   *
   * @param options how to write
   * @param key the key
   * @param value the value
   * @throws OffHeapExhaustedException if there is no memory for the write, which has no effect then
   */
  public void put(WriteOptions options, ByteBuf key, ByteBuf value) {
    db.put(options, view(key), view(value));
  }

  /**
   * Deletes a key. It is no error if the key does not exist.
   *
   * @param key the key
   */
  public void delete(ByteBuf key) {
    delete(WriteOptions.DEFAULT, key);
  }

  /**
   * Deletes a key. It is no error if the key does not exist.
   *
   * @param options how to write
   * @param key the key
   * @throws OffHeapExhaustedException if there is no memory for the write, which has no effect then
   */
  public void delete(WriteOptions options, ByteBuf key) {
    db.delete(options, view(key));
  }

  /**
   * Applies a batch atomically.
   *
   * @param batch the batch, which does not change
   */
  public void write(ByteBufBatch batch) {
    write(WriteOptions.DEFAULT, batch);
  }

  /**
   * Applies a batch atomically.
   *
   * @param options how to write
   * @param batch the batch, which does not change
   * @throws OffHeapExhaustedException if there is no memory for the write, which has no effect then
   */
  public void write(WriteOptions options, ByteBufBatch batch) {
    db.write(options, batch.toWriteBatch());
  }

  /**
   * Returns the readable bytes, copied if they are not in one piece. The view is a new object: two
   * slices of one buffer may share the view that Netty keeps.
   */
  static ByteBuffer view(ByteBuf buf) {
    return buf.nioBufferCount() > 0 ? buf.nioBuffer() : ByteBuffer.wrap(ByteBufUtil.getBytes(buf));
  }

  /** Returns the name of the database, for log messages. */
  @Override
  public String toString() {
    return "ByteBufDB[" + db + "]";
  }
}
