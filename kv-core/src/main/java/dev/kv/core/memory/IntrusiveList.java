package dev.kv.core.memory;

import org.jspecify.annotations.Nullable;

/**
 * A doubly linked list whose elements have the links, so that no change of it allocates memory, and
 * each takes constant time. An element is in one list at most. Not thread-safe.
 */
public final class IntrusiveList<E extends IntrusiveList.Element<E>> {
  /** What can be in a list. */
  public abstract static class Element<E> {
    @Nullable E before;
    @Nullable E after;
    boolean isInList;

    /** Creates an element that is in no list. */
    protected Element() {}
  }

  private @Nullable E first;
  private @Nullable E last;
  private int size;

  /** Creates an empty list. */
  public IntrusiveList() {}

  /** Returns the first element, or null if the list is empty. */
  public @Nullable E first() {
    return first;
  }

  /** Returns the last element, or null if the list is empty. */
  public @Nullable E last() {
    return last;
  }

  /** Returns the element after {@code element}, or null if that is the last one. */
  public @Nullable E after(E element) {
    return element.after;
  }

  /** Returns true if an element is in this list, which is the only one that it is ever in. */
  public boolean contains(E element) {
    return element.isInList;
  }

  /** Returns the number of elements. */
  public int size() {
    return size;
  }

  /** Adds an element that is in no list. */
  public void addLast(E element) {
    element.before = last;
    if (last == null) {
      first = element;
    } else {
      last.after = element;
    }
    last = element;
    element.isInList = true;
    size++;
  }

  /** Removes an element of this list. */
  public void remove(E element) {
    E before = element.before;
    E after = element.after;
    if (before == null) {
      first = after;
    } else {
      before.after = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.before = before;
    }
    element.before = null;
    element.after = null;
    element.isInList = false;
    size--;
  }
}
