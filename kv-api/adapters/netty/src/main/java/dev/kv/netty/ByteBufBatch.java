package dev.kv.netty;

import dev.kv.WriteBatch;
import io.netty.buffer.ByteBuf;
import java.util.Objects;

/**
 * A batch of writes with buffers of Netty. It adds the readable bytes of each buffer to a {@link
 * WriteBatch}, which copies them. It changes no index, keeps no reference and releases nothing. Not
 * thread-safe.
 *
 * <pre>{@code
 * db.write(ByteBufBatch.create().put(key, value).delete(oldKey));
 * }</pre>
 */
public final class ByteBufBatch {
  private final WriteBatch batch;

  private ByteBufBatch(WriteBatch batch) {
    this.batch = batch;
  }

  /**
   * Creates an empty batch.
   *
   * @return a new batch
   */
  public static ByteBufBatch create() {
    return of(WriteBatch.create());
  }

  /**
   * Returns a batch that adds to another one.
   *
   * @param batch the batch to add to
   * @return a view of {@code batch}
   */
  public static ByteBufBatch of(WriteBatch batch) {
    return new ByteBufBatch(Objects.requireNonNull(batch, "batch"));
  }

  /**
   * Adds an operation that sets the value of a key.
   *
   * @param key the key; copied
   * @param value the value; copied
   * @return this batch
   * @throws IllegalArgumentException if the batch would reach 2 GiB
   */
  public ByteBufBatch put(ByteBuf key, ByteBuf value) {
    batch.put(ByteBufDB.view(key), ByteBufDB.view(value));
    return this;
  }

  /**
   * Adds an operation that deletes a key. It has no effect if the key does not exist.
   *
   * @param key the key; copied
   * @return this batch
   * @throws IllegalArgumentException if the batch would reach 2 GiB
   */
  public ByteBufBatch delete(ByteBuf key) {
    batch.delete(ByteBufDB.view(key));
    return this;
  }

  /**
   * Returns the batch with the operations added so far, to be written or read.
   *
   * @return the batch that this object adds to, not a copy
   */
  public WriteBatch toWriteBatch() {
    return batch;
  }
}
