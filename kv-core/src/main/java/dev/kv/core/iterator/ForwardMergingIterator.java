package dev.kv.core.iterator;

import dev.kv.core.key.KeyComparator;

/**
 * A cursor that merges the entries of several cursors, its children, as {@link MergingIterator}
 * does, but only forward.
 */
public final class ForwardMergingIterator extends ForwardIterator {
  private final ForwardIterator[] children;
  private final MergeHeap heap;

  /**
   * Creates a cursor over the entries of all {@code children}, which closes them when it is closed.
   */
  public ForwardMergingIterator(KeyComparator comparator, ForwardIterator... children) {
    this.children = children;
    this.heap = new MergeHeap(comparator, children);
  }

  @Override
  public void seekToFirst() {
    valid = false;
    for (ForwardIterator child : children) {
      child.seekToFirst();
    }
    if (heap.rebuild(true)) {
      show(children[heap.root()]);
    }
  }

  @Override
  public void next() {
    valid = false;
    ForwardIterator root = children[heap.root()];
    root.next();
    show(heap.settle(root));
  }

  @Override
  public ForwardIterator source() {
    return children[heap.root()].source();
  }

  @Override
  public void close() {
    for (ForwardIterator child : children) {
      child.close();
    }
  }
}
