package dev.kv.core.memtable;

import dev.kv.core.iterator.InternalIterator;
import java.nio.ByteBuffer;

/** A cursor over the entries of a memtable. It holds no pin: the caller owns the memtable. */
final class MemTableIterator extends InternalIterator {
  private final OffHeapSkipList list;
  private int node;

  MemTableIterator(OffHeapSkipList list) {
    this.list = list;
    keyBuffer = list.memory();
    valueBuffer = list.memory();
  }

  @Override
  public void seekToFirst() {
    show(list.first());
  }

  @Override
  public void seekToLast() {
    show(list.findLast());
  }

  @Override
  public void seek(ByteBuffer key, int offset, int length) {
    show(list.findGreaterOrEqual(key, offset, length));
  }

  @Override
  public void next() {
    show(list.next(node));
  }

  @Override
  public void prev() {
    show(list.previous(node));
  }

  @SuppressWarnings("ReferenceEquality") // the same buffer object, not the same contents
  private void show(int found) {
    node = found;
    valid = found != OffHeapSkipList.NIL;
    if (valid) {
      ByteBuffer memory = list.memory();
      if (memory != keyBuffer) {
        keyBuffer = memory;
        valueBuffer = memory;
      }
      keyOffset = list.keyOffset(found);
      keyLength = list.keyLength(found);
      valueOffset = keyOffset + keyLength;
      valueLength = list.valueLength(found);
    }
  }

  @Override
  public void close() {}
}
