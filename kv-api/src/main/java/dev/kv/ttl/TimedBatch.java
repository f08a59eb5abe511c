package dev.kv.ttl;

import dev.kv.BatchOperations;
import dev.kv.WriteBatch;
import dev.kv.bytes.Slice;
import dev.kv.change.OperationHandler;
import dev.kv.view.BatchView;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A view of a batch that adds values with their times, and shows values without them. */
final class TimedBatch extends BatchView {
  private final TimeToLive times;

  TimedBatch(BatchOperations batch, TimeToLive times) {
    super(batch, times);
    this.times = times;
  }

  @Override
  public TimedBatch put(byte[] key, byte[] value) {
    batch.put(key, times.encode(value));
    return this;
  }

  @Override
  public TimedBatch put(ByteBuffer key, ByteBuffer value) {
    Objects.requireNonNull(value, "value");
    batch.put(key, ByteBuffer.wrap(Expiry.encode(times.expiry(), value)));
    return this;
  }

  @Override
  public TimedBatch delete(byte[] key) {
    batch.delete(key);
    return this;
  }

  @Override
  public TimedBatch delete(ByteBuffer key) {
    batch.delete(key);
    return this;
  }

  @Override
  protected void expect(WriteBatch stored, byte[] key, byte @Nullable [] value) {
    throw new IllegalArgumentException(
        "the other batch has expectations, and one of a value that expires needs its time:"
            + " write that batch by TimeToLive.write");
  }

  @Override
  protected BatchOperations of(BatchOperations other) {
    return new TimedBatch(other, times);
  }

  @Override
  public int count() {
    return batch.count();
  }

  @Override
  public int expectationCount() {
    return batch.expectationCount();
  }

  @Override
  protected OperationHandler showing(OperationHandler handler) {
    return new OperationHandler() {
      @Override
      public void put(Slice key, Slice value) {
        handler.put(key, Expiry.isPresent(value) ? value.suffix(Expiry.LENGTH) : value);
      }

      @Override
      public void delete(Slice key) {
        handler.delete(key);
      }

      @Override
      public void expect(Slice key, @Nullable Slice value) {
        handler.expect(
            key, value != null && Expiry.isPresent(value) ? value.suffix(Expiry.LENGTH) : value);
      }
    };
  }
}
