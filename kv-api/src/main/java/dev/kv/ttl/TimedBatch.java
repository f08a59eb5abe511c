package dev.kv.ttl;

import dev.kv.KeyValueStore;
import dev.kv.WriteBatch;
import dev.kv.bytes.Slice;
import dev.kv.change.OperationHandler;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A view of a batch that adds values with their times, and shows values without them. */
final class TimedBatch implements WriteBatch {
  private final WriteBatch batch;
  private final TimeToLive times;

  TimedBatch(WriteBatch batch, TimeToLive times) {
    this.batch = batch;
    this.times = times;
  }

  @Override
  public TimeToLive store() {
    return times;
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
  public WriteBatch expect(byte[] key, byte @Nullable [] value) {
    throw new UnsupportedOperationException(
        "an expectation of a value that expires needs its time:"
            + " add it to a batch of its own, and write that by TimeToLive.write");
  }

  @Override
  public TimedBatch setSavePoint() {
    batch.setSavePoint();
    return this;
  }

  @Override
  public TimedBatch rollbackToSavePoint() {
    batch.rollbackToSavePoint();
    return this;
  }

  @Override
  public TimedBatch popSavePoint() {
    batch.popSavePoint();
    return this;
  }

  @Override
  public TimedBatch append(WriteBatch other) {
    KeyValueStore owner = Objects.requireNonNull(other, "other").store();
    if (owner != null && owner != times) {
      throw new IllegalArgumentException(
          "the other batch belongs to "
              + owner
              + " and not to "
              + times
              + ": append it to a view of this batch, which the method within of its owner makes");
    }
    WriteBatch copy = WriteBatch.create();
    TimedBatch target = new TimedBatch(copy, times);
    other.iterate(
        new OperationHandler() {
          @Override
          public void put(Slice key, Slice value) {
            target.put(key.toByteArray(), value.toByteArray());
          }

          @Override
          public void delete(Slice key) {
            target.delete(key.toByteArray());
          }

          @Override
          public void expect(Slice key, @Nullable Slice value) {
            target.expect(key.toByteArray(), value == null ? null : value.toByteArray());
          }
        });
    batch.append(copy);
    return this;
  }

  @Override
  public WriteBatch clear() {
    throw new UnsupportedOperationException(
        "a view of a batch cannot be cleared: clear the batch itself");
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
  public long approximateSize() {
    return batch.approximateSize();
  }

  @Override
  public void iterate(OperationHandler handler) {
    Objects.requireNonNull(handler, "handler");
    batch.iterate(
        new OperationHandler() {
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
                key,
                value != null && Expiry.isPresent(value) ? value.suffix(Expiry.LENGTH) : value);
          }
        });
  }
}
