package dev.kv.bytes;

import java.util.Comparator;
import java.util.Objects;

/** The order of {@link DBComparator#ofArrays}, which copies both keys. */
record ArrayComparator(String name, Comparator<byte[]> order) implements DBComparator {
  ArrayComparator {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(order, "order");
  }

  @Override
  public int compare(Slice a, Slice b) {
    return order.compare(a.toByteArray(), b.toByteArray());
  }
}
