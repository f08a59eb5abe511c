package dev.kv.tools.database;

import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import org.jspecify.annotations.Nullable;

/** The orders of keys that commands know. */
public enum KeyOrder {
  /** Bytes as unsigned numbers, ascending. */
  BYTEWISE("leveldb.BytewiseComparator") {
    @Override
    int compare(Slice a, Slice b) {
      return a.compareTo(b);
    }
  },
  /** Bytes as unsigned numbers, descending. */
  REVERSE("kv.ReverseBytewiseComparator") {
    @Override
    int compare(Slice a, Slice b) {
      return b.compareTo(a);
    }
  };

  private final String defaultName;

  KeyOrder(String defaultName) {
    this.defaultName = defaultName;
  }

  abstract int compare(Slice a, Slice b);

  /** Returns the name of this order in the MANIFEST of a new database. */
  public String defaultName() {
    return defaultName;
  }

  /**
   * Returns the order of a database that is ordered by the comparator of that name, or null if only
   * --comparator can tell it.
   */
  public static @Nullable KeyOrder of(String name) {
    for (KeyOrder order : values()) {
      if (order.defaultName.equals(name)) {
        return order;
      }
    }
    return null;
  }

  /** Returns this order under its own name. */
  public DBComparator named() {
    return named(defaultName);
  }

  /** Returns this order under another name. */
  public DBComparator named(String name) {
    return this == BYTEWISE && name.equals(defaultName)
        ? DBComparator.bytewise()
        : new Named(this, name);
  }

  private record Named(KeyOrder order, String name) implements DBComparator {
    @Override
    public int compare(Slice a, Slice b) {
      return order.compare(a, b);
    }
  }
}
