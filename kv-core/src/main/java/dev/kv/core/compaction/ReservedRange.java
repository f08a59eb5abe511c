package dev.kv.core.compaction;

import dev.kv.core.key.KeyBounds;

/**
 * A range of user keys, in all levels, that is reserved for one change. Compared by identity: two
 * changes may reserve the same keys, because they are made one after the other.
 */
public final class ReservedRange {
  private final KeyBounds keys;

  ReservedRange(KeyBounds keys) {
    this.keys = keys;
  }

  KeyBounds keys() {
    return keys;
  }

  @Override
  public String toString() {
    return "ReservedRange[" + keys.describe() + "]";
  }
}
