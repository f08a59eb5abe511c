package dev.kv.core.table;

import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;

/** The bytewise order under another name, for which the engine has no special paths. */
final class OtherOrder implements DBComparator {
  @Override
  public String name() {
    return "test.Other";
  }

  @Override
  public int compare(Slice a, Slice b) {
    return a.compareTo(b);
  }
}
