package dev.kv.core.iterator;

import dev.kv.core.key.KeyComparator;
import dev.kv.core.memory.Undo;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A cursor that merges the entries of several cursors, its children, in order. It returns all of
 * several entries with equal keys, that of the child with the smallest index first.
 *
 * <pre>
 * Order: entries are ordered by (key, index of the child). While this cursor is at an entry e:
 *  1. heap[0] is the child that is at e.
 *  2. Forward: every other child is at its first entry after e, or is invalid if it has none.
 *     Backward: every other child is at its last entry before e, or is invalid if it has none.
 *  3. heap[0..size) are the valid children, a binary heap with the child of e at the root.
 * A memtable that still takes writes may get entries in between after the cursor has passed. They
 * are newer than the view that the reader sees. Only a change of direction can meet them, and it
 * checks for them.
 * </pre>
 */
public final class MergingIterator extends InternalIterator {
  private static final int UNKNOWN = 0;

  private final KeyComparator comparator;
  private final InternalIterator[] children;
  private final int[] heap;
  private int size;
  private boolean forward;

  /** The place in the heap of the child that follows the root, 1 or 2; or {@link #UNKNOWN}. */
  private int runnerUp;

  private MergingIterator(KeyComparator comparator, InternalIterator[] children) {
    this.comparator = comparator;
    this.children = children;
    this.heap = new int[children.length];
  }

  /**
   * Returns a cursor over the entries of all {@code children}, which closes them when it is closed.
   * Of children that can hold equal keys, the newest comes first.
   */
  public static InternalIterator of(KeyComparator comparator, InternalIterator... children) {
    return switch (children.length) {
      case 0 -> new EmptyIterator();
      case 1 -> children[0];
      default -> new MergingIterator(comparator, children);
    };
  }

  /** Opens the children, as {@link #of}; if one cannot be opened, closes those before it. */
  public static <T> InternalIterator opened(
      KeyComparator comparator, List<T> sources, Function<T, InternalIterator> open) {
    List<InternalIterator> children = new ArrayList<>(sources.size());
    try (Undo undo = new Undo(() -> children.forEach(InternalIterator::close))) {
      for (T each : sources) {
        children.add(open.apply(each));
      }
      undo.cancel();
    }
    return of(comparator, children.toArray(InternalIterator[]::new));
  }

  @Override
  public void seekToFirst() {
    valid = false;
    for (InternalIterator child : children) {
      child.seekToFirst();
    }
    rebuild(true);
  }

  @Override
  public void seekToLast() {
    valid = false;
    for (InternalIterator child : children) {
      child.seekToLast();
    }
    rebuild(false);
  }

  @Override
  public void seek(ByteBuffer key, int offset, int length) {
    valid = false;
    for (InternalIterator child : children) {
      child.seek(key, offset, length);
    }
    rebuild(true);
  }

  @Override
  public void next() {
    valid = false;
    if (!forward) {
      turnForward();
    }
    InternalIterator top = children[heap[0]];
    top.next();
    settle(top);
  }

  @Override
  public void prev() {
    valid = false;
    if (forward) {
      turnBackward();
    }
    InternalIterator top = children[heap[0]];
    top.prev();
    settle(top);
  }

  /** Restores the heap after a move of its root, and makes the new root's entry current. */
  private void settle(InternalIterator top) {
    if (!top.isValid()) {
      if (--size == 0) {
        return;
      }
      heap[0] = heap[size];
      siftDown(0);
    } else if (size > 1 && !precedes(heap[0], heap[runnerUp()])) {
      siftDown(0);
    }
    show(children[heap[0]]);
  }

  /** Returns the place of the child that follows the root. Requires two valid children. */
  private int runnerUp() {
    if (runnerUp == UNKNOWN) {
      runnerUp = size > 2 && precedes(heap[2], heap[1]) ? 2 : 1;
    }
    return runnerUp;
  }

  /** Builds the heap anew from the current positions of the children. */
  private void rebuild(boolean toForward) {
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
    if (size > 0) {
      show(children[heap[0]]);
    }
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

  /** Moves every child except the current one from before the current entry to after it. */
  private void turnForward() {
    int current = heap[0];
    for (int i = 0; i < children.length; i++) {
      if (i != current) {
        InternalIterator child = children[i];
        if (child.isValid()) {
          child.next();
        } else {
          child.seekToFirst();
        }
        if (child.isValid() && order(i, current) < 0) {
          seekAfterCurrent(child, i);
        }
      }
    }
    rebuildAround(current, true);
  }

  /** Moves every child except the current one from after the current entry to before it. */
  private void turnBackward() {
    int current = heap[0];
    for (int i = 0; i < children.length; i++) {
      if (i != current) {
        InternalIterator child = children[i];
        if (child.isValid()) {
          child.prev();
        } else {
          child.seekToLast();
        }
        if (child.isValid() && order(i, current) > 0) {
          seekBeforeCurrent(child, i);
        }
      }
    }
    rebuildAround(current, false);
  }

  private void rebuildAround(int current, boolean toForward) {
    rebuild(toForward);
    valid = false;
    if (heap[0] != current) {
      throw new AssertionError("a cursor moved past the current entry");
    }
  }

  private void seekAfterCurrent(InternalIterator child, int index) {
    child.seek(keyBuffer, keyOffset, keyLength);
    while (child.isValid() && order(index, heap[0]) < 0) {
      child.next();
    }
  }

  private void seekBeforeCurrent(InternalIterator child, int index) {
    child.seek(keyBuffer, keyOffset, keyLength);
    if (!child.isValid()) {
      child.seekToLast();
    }
    while (child.isValid() && order(index, heap[0]) > 0) {
      child.prev();
    }
  }

  /** Returns true if child {@code a} comes before child {@code b} in the current direction. */
  private boolean precedes(int a, int b) {
    return forward ? order(a, b) < 0 : order(a, b) > 0;
  }

  private int order(int a, int b) {
    InternalIterator x = children[a];
    InternalIterator y = children[b];
    int order =
        comparator.compare(
            x.keyBuffer, x.keyOffset, x.keyLength, y.keyBuffer, y.keyOffset, y.keyLength);
    return order != 0 ? order : Integer.compare(a, b);
  }

  /** Returns true if no other child than that of the current entry has entries after it. */
  public boolean isLastSource() {
    return forward && size == 1;
  }

  @Override
  public InternalIterator source() {
    return children[heap[0]].source();
  }

  @Override
  public void close() {
    for (InternalIterator child : children) {
      child.close();
    }
  }
}
