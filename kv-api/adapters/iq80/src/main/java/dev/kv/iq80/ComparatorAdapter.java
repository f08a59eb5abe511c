package dev.kv.iq80;

import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import org.jspecify.annotations.Nullable;

/**
 * An order of keys written against the old interface. Its short keys are checked before use: an
 * index with a key on the wrong side loses entries, and implementations are known that return such
 * keys. Thread-safe if the program's comparator is.
 */
final class ComparatorAdapter implements DBComparator {
  private final org.iq80.leveldb.DBComparator comparator;
  private final String name;

  ComparatorAdapter(org.iq80.leveldb.DBComparator comparator) {
    this.comparator = comparator;
    this.name = Failures.requireArgument(comparator.name(), "comparator's name");
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int compare(Slice a, Slice b) {
    return comparator.compare(a.toByteArray(), b.toByteArray());
  }

  @Override
  public byte @Nullable [] shortestSeparator(Slice start, Slice limit) {
    byte[] from = start.toByteArray();
    byte[] to = limit.toByteArray();
    byte[] separator = comparator.findShortestSeparator(from.clone(), to.clone());
    boolean usable =
        separator != null
            && separator.length < from.length
            && comparator.compare(from, separator) <= 0
            && comparator.compare(separator, to) < 0;
    return usable ? separator : null;
  }

  @Override
  public byte @Nullable [] shortSuccessor(Slice key) {
    byte[] from = key.toByteArray();
    byte[] successor = comparator.findShortSuccessor(from.clone());
    boolean usable =
        successor != null
            && successor.length < from.length
            && comparator.compare(from, successor) <= 0;
    return usable ? successor : null;
  }

  @Override
  public String toString() {
    return name;
  }
}
