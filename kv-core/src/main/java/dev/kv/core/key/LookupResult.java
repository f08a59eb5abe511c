package dev.kv.core.key;

/** What a point read in one memtable or table says of its key. */
public final class LookupResult {
  /** Nothing: older data may have it. */
  public static final int NOT_FOUND = 0;

  /** It has a value, which the read's {@code ValueRef} points at. */
  public static final int FOUND = 1;

  /** It was deleted: older data does not count. */
  public static final int DELETED = 2;

  private LookupResult() {}
}
