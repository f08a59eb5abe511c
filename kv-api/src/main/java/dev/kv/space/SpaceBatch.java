package dev.kv.space;

import dev.kv.BatchOperations;
import dev.kv.WriteBatch;
import dev.kv.bytes.Slice;
import dev.kv.change.OperationHandler;
import dev.kv.view.BatchView;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The operations of a batch whose keys have one prefix, which it adds and removes. */
final class SpaceBatch extends BatchView {
  private final KeyPrefix prefix;
  private final Slice prefixSlice;
  private final Space space;

  SpaceBatch(BatchOperations batch, Space space) {
    super(batch, space);
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
  protected void expect(WriteBatch stored, byte[] key, byte @Nullable [] value) {
    stored.expect(prefix.join(key), value);
  }

  @Override
  protected BatchOperations of(BatchOperations other) {
    return new SpaceBatch(other, space);
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
  protected OperationHandler showing(OperationHandler handler) {
    return new OperationHandler() {
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
    };
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
