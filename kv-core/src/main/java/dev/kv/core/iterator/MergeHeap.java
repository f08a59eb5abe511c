package dev.kv.core.iterator;

import dev.kv.core.key.KeyComparator;

/**
 * The order of a merge: a binary heap of the cursors merged, its children, with the child of the
 * current entry at the root. Entries are ordered by (key, index of the child).
 *
 * <p>It remembers which child follows the root. While one child stays ahead, a move costs one
 * comparison.
 */
final class MergeHeap {
  private static final int UNKNOWN = 0;

  private final KeyComparator comparator;
  private final ForwardIterator[] children;

  /** The indexes of the valid children, at [0..size). */
  private final int[] heap;

  private int size;
  private boolean forward;

  /** The place in the heap of the child that follows the root, 1 or 2; or {@link #UNKNOWN}. */
  private int runnerUp;

  MergeHeap(KeyComparator comparator, ForwardIterator[] children) {
    this.comparator = comparator;
    this.children = children;
    this.heap = new int[children.length];
  }

  /** Returns the index of the child at the root. Requires that a child has been valid. */
  int root() {
    return heap[0];
  }

  /** Returns true if the children move forward. */
  boolean isForward() {
    return forward;
  }

  /** Returns true if only the child at the root is valid. */
  boolean isLast() {
    return size == 1;
  }

  /**
   * Restores the heap after a move of {@code root}, the child at the root. Returns the new root,
   * which is invalid if no child is valid.
   */
  ForwardIterator settle(ForwardIterator root) {
    if (!root.valid) {
      if (--size == 0) {
        return root;
      }
      heap[0] = heap[size];
    } else if (size == 1 || precedes(heap[0], heap[runnerUp()])) {
      return root;
    }
    siftDown(0);
    return children[heap[0]];
  }

  /**
   * Rebuilds the heap from the current positions of the children; returns false if none is valid.
   */
  boolean rebuild(boolean toForward) {
    forward = toForward;
    size = 0;
    for (int i = 0; i < children.length; i++) {
      if (children[i].isValid()) {
        heap[size++] = i;
      }
    }
    for (int at = size / 2 - 1; at >= 0; at--) {
      siftDown(at);
    }
    runnerUp = UNKNOWN;
    return size > 0;
  }

  /** Returns the place of the child that follows the root. Requires two valid children. */
  private int runnerUp() {
    if (runnerUp == UNKNOWN) {
      runnerUp = size > 2 && precedes(heap[2], heap[1]) ? 2 : 1;
    }
    return runnerUp;
  }

  private void siftDown(int from) {
    runnerUp = UNKNOWN;
    int moving = heap[from];
    int at = from;
    while (true) {
      int child = 2 * at + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && precedes(heap[child + 1], heap[child])) {
        child++;
      }
      if (!precedes(heap[child], moving)) {
        break;
      }
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = moving;
  }

  /** Returns true if child {@code a} comes before child {@code b} in the current direction. */
  private boolean precedes(int a, int b) {
    return forward ? order(a, b) < 0 : order(a, b) > 0;
  }

  /** Compares the current entries of two valid children. */
  int order(int a, int b) {
    ForwardIterator x = children[a];
    ForwardIterator y = children[b];
    int order =
        comparator.compare(
            x.keyBuffer, x.keyOffset, x.keyLength, y.keyBuffer, y.keyOffset, y.keyLength);
    return order != 0 ? order : Integer.compare(a, b);
  }
}
