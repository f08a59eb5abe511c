package dev.kv.core.iterator;

import dev.kv.core.key.KeyComparator;
import dev.kv.core.memory.Undo;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A cursor that merges the entries of several cursors, its children, in order. It returns all of
 * several entries with equal keys, that of the child with the smallest index first. {@link
 * ForwardMergingIterator} does so for children that only move forward.
 *
 * <pre>
 * Order: entries are ordered by (key, index of the child). While this cursor is at an entry e:
 *  1. the root of the heap is the child that is at e.
 *  2. Forward: every other child is at its first entry after e, or is invalid if it has none.
 *     Backward: every other child is at its last entry before e, or is invalid if it has none.
 *  3. the heap holds the valid children.
 * A memtable that still takes writes may get entries in between after the cursor has passed. They
 * are newer than the view that the reader sees. Only a change of direction can meet them, and it
 * checks for them.
 * </pre>
 */
public final class MergingIterator extends InternalIterator {
  private final InternalIterator[] children;
  private final MergeHeap heap;

  private MergingIterator(KeyComparator comparator, InternalIterator[] children) {
    this.children = children;
    this.heap = new MergeHeap(comparator, children);
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
    showRoot(heap.rebuild(true));
  }

  @Override
  public void seekToLast() {
    valid = false;
    for (InternalIterator child : children) {
      child.seekToLast();
    }
    showRoot(heap.rebuild(false));
  }

  @Override
  public void seek(ByteBuffer key, int offset, int length) {
    valid = false;
    for (InternalIterator child : children) {
      child.seek(key, offset, length);
    }
    showRoot(heap.rebuild(true));
  }

  @Override
  public void next() {
    valid = false;
    if (!heap.isForward()) {
      turnForward();
    }
    InternalIterator root = children[heap.root()];
    root.next();
    show(heap.settle(root));
  }

  @Override
  public void prev() {
    valid = false;
    if (heap.isForward()) {
      turnBackward();
    }
    InternalIterator root = children[heap.root()];
    root.prev();
    show(heap.settle(root));
  }

  private void showRoot(boolean present) {
    if (present) {
      show(children[heap.root()]);
    }
  }

  /** Moves every child except the current one from before the current entry to after it. */
  private void turnForward() {
    int current = heap.root();
    for (int i = 0; i < children.length; i++) {
      if (i != current) {
        InternalIterator child = children[i];
        if (child.isValid()) {
          child.next();
        } else {
          child.seekToFirst();
        }
        if (child.isValid() && heap.order(i, current) < 0) {
          seekAfterCurrent(child, i);
        }
      }
    }
    rebuildAround(current, true);
  }

  /** Moves every child except the current one from after the current entry to before it. */
  private void turnBackward() {
    int current = heap.root();
    for (int i = 0; i < children.length; i++) {
      if (i != current) {
        InternalIterator child = children[i];
        if (child.isValid()) {
          child.prev();
        } else {
          child.seekToLast();
        }
        if (child.isValid() && heap.order(i, current) > 0) {
          seekBeforeCurrent(child, i);
        }
      }
    }
    rebuildAround(current, false);
  }

  private void rebuildAround(int current, boolean toForward) {
    heap.rebuild(toForward);
    if (heap.root() != current) {
      throw new AssertionError("a cursor moved past the current entry");
    }
  }

  private void seekAfterCurrent(InternalIterator child, int index) {
    child.seek(keyBuffer, keyOffset, keyLength);
    while (child.isValid() && heap.order(index, heap.root()) < 0) {
      child.next();
    }
  }

  private void seekBeforeCurrent(InternalIterator child, int index) {
    child.seek(keyBuffer, keyOffset, keyLength);
    while (child.isValid() && heap.order(index, heap.root()) > 0) {
      child.prev();
    }
  }

  /** Returns true if no other child than that of the current entry has entries after it. */
  public boolean isLastSource() {
    return heap.isForward() && heap.isLast();
  }

  @Override
  public ForwardIterator source() {
    return children[heap.root()].source();
  }

  @Override
  public void close() {
    for (InternalIterator child : children) {
      child.close();
    }
  }
}
