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
  private final ForwardIterator[] children;
  private final MergeHeap heap;

  private MergingIterator(KeyComparator comparator, ForwardIterator[] children) {
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

  /** Does the same for children that may only move forward. */
  public static ForwardIterator ofForward(KeyComparator comparator, ForwardIterator... children) {
    return new MergingIterator(comparator, children);
  }

  /** Returns a child that moves in both directions. The children of other cursors never turn. */
  private static InternalIterator bothWays(ForwardIterator child) {
    return (InternalIterator) child;
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
    for (ForwardIterator child : children) {
      child.seekToFirst();
    }
    showRoot(heap.rebuild(true));
  }

  @Override
  public void seekToLast() {
    valid = false;
    for (ForwardIterator child : children) {
      bothWays(child).seekToLast();
    }
    showRoot(heap.rebuild(false));
  }

  @Override
  public void seek(ByteBuffer key, int offset, int length) {
    valid = false;
    for (ForwardIterator child : children) {
      bothWays(child).seek(key, offset, length);
    }
    showRoot(heap.rebuild(true));
  }

  @Override
  public void next() {
    valid = false;
    if (!heap.isForward()) {
      turn(true);
    }
    ForwardIterator root = children[heap.root()];
    root.next();
    show(heap.settle(root));
  }

  @Override
  public void prev() {
    valid = false;
    if (heap.isForward()) {
      turn(false);
    }
    InternalIterator root = bothWays(children[heap.root()]);
    root.prev();
    show(heap.settle(root));
  }

  private void showRoot(boolean present) {
    if (present) {
      show(children[heap.root()]);
    }
  }

  /** Moves every child except the current one to the other side of the current entry. */
  private void turn(boolean toForward) {
    int current = heap.root();
    for (int i = 0; i < children.length; i++) {
      if (i != current) {
        turn(bothWays(children[i]), i, toForward);
      }
    }
    heap.rebuild(toForward);
    if (heap.root() != current) {
      throw new AssertionError("a cursor moved past the current entry");
    }
  }

  private void turn(InternalIterator child, int index, boolean toForward) {
    if (child.isValid()) {
      step(child, toForward);
    } else if (toForward) {
      child.seekToFirst();
    } else {
      child.seekToLast();
    }
    if (isBehind(child, index, toForward)) {
      child.seek(keyBuffer, keyOffset, keyLength);
      while (isBehind(child, index, toForward)) {
        step(child, toForward);
      }
    }
  }

  private static void step(InternalIterator child, boolean toForward) {
    if (toForward) {
      child.next();
    } else {
      child.prev();
    }
  }

  /** Returns true if a child has an entry on the side of the current one that is left behind. */
  private boolean isBehind(InternalIterator child, int index, boolean toForward) {
    return child.isValid() && (heap.order(index, heap.root()) < 0) == toForward;
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
    for (ForwardIterator child : children) {
      child.close();
    }
  }
}
