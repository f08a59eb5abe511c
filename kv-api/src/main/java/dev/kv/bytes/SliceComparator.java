package dev.kv.bytes;

import java.util.Comparator;
import java.util.Objects;

/** The order of {@link DBComparator#of}. */
record SliceComparator(String name, Comparator<? super Slice> order) implements DBComparator {
  SliceComparator {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(order, "order");
  }

  @Override
  public int compare(Slice a, Slice b) {
    return order.compare(a, b);
  }
}
