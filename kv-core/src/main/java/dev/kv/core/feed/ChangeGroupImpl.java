package dev.kv.core.feed;

import dev.kv.change.ChangeGroup;
import dev.kv.change.ChangePosition;
import dev.kv.change.OperationHandler;
import dev.kv.core.batch.EncodedBatch;

/** A group of writes, with a copy of its record on the heap. */
record ChangeGroupImpl(ChangePosition position, EncodedBatch batch) implements ChangeGroup {
  @Override
  public int count() {
    return batch.count();
  }

  @Override
  public long size() {
    return batch.approximateSize();
  }

  @Override
  public void iterate(OperationHandler handler) {
    batch.iterate(handler);
  }

  @Override
  public String toString() {
    return "ChangeGroup[" + count() + " operations, " + size() + " bytes, " + position + "]";
  }
}
