package dev.kv.space;

import dev.kv.KeyValueStore;
import dev.kv.WriteBatch;
import dev.kv.bytes.Slice;
import dev.kv.change.OperationHandler;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The operations of a batch whose keys have one prefix, which it adds and removes. */
final class SpaceBatch implements WriteBatch {
  private final WriteBatch batch;
  private final KeyPrefix prefix;
  private final Slice prefixSlice;
  private final Space space;

  SpaceBatch(WriteBatch batch, Space space) {
    this.batch = batch;
    this.space = space;
    this.prefix = space.prefix;
    this.prefixSlice = Slice.of(prefix.bytes());
  }

  @Override
  public SpaceBatch put(byte[] key, byte[] value) {
    batch.put(prefix.join(key), value);
    return this;
  }

  @Override
  public SpaceBatch put(ByteBuffer key, ByteBuffer value) {
    batch.put(prefix.join(key), value);
    return this;
  }

  @Override
  public SpaceBatch delete(byte[] key) {
    batch.delete(prefix.join(key));
    return this;
  }

  @Override
  public SpaceBatch delete(ByteBuffer key) {
    batch.delete(prefix.join(key));
    return this;
  }

  @Override
  public SpaceBatch expect(byte[] key, byte @Nullable [] value) {
    batch.expect(prefix.join(key), value);
    return this;
  }

  @Override
  public SpaceBatch setSavePoint() {
    batch.setSavePoint();
    return this;
  }

  @Override
  public SpaceBatch rollbackToSavePoint() {
    batch.rollbackToSavePoint();
    return this;
  }

  @Override
  public SpaceBatch popSavePoint() {
    batch.popSavePoint();
    return this;
  }

  /** Copies the operations first, because {@code other} may be the batch that this is a view of. */
  @Override
  public SpaceBatch append(WriteBatch other) {
    KeyValueStore owner = Objects.requireNonNull(other, "other").store();
    if (owner != null && !space.equals(owner)) {
      throw new IllegalArgumentException(
          "the other batch belongs to "
              + owner
              + " and not to "
              + space
              + ": append it to a view of this batch, which the method within of its owner makes");
    }
    WriteBatch copy = WriteBatch.create();
    SpaceBatch target = new SpaceBatch(copy, space);
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
  public Space store() {
    return space;
  }

  @Override
  public WriteBatch clear() {
    throw new UnsupportedOperationException(
        "a view of a batch cannot be cleared: clear the batch itself");
  }

  @Override
  public int count() {
    Counts counts = new Counts();
    iterate(counts);
    return counts.operations;
  }

  @Override
  public int expectationCount() {
    Counts counts = new Counts();
    iterate(counts);
    return counts.expectations;
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
            if (key.startsWith(prefixSlice)) {
              handler.put(key.suffix(prefix.length()), value);
            }
          }

          @Override
          public void delete(Slice key) {
            if (key.startsWith(prefixSlice)) {
              handler.delete(key.suffix(prefix.length()));
            }
          }

          @Override
          public void expect(Slice key, @Nullable Slice value) {
            if (key.startsWith(prefixSlice)) {
              handler.expect(key.suffix(prefix.length()), value);
            }
          }
        });
  }

  /** Counts what a batch passes to it. */
  private static final class Counts implements OperationHandler {
    private int operations;
    private int expectations;

    @Override
    public void put(Slice key, Slice value) {
      operations++;
    }

    @Override
    public void delete(Slice key) {
      operations++;
    }

    @Override
    public void expect(Slice key, @Nullable Slice value) {
      expectations++;
    }
  }
}
