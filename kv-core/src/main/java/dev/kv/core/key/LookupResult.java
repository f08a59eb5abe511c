package dev.kv.core.key;

/** The result of a point read in one memtable or table. */
public final class LookupResult {
  /** The key is not there; older data may have it. */
  public static final int NOT_FOUND = 0;

  /** The key has a value, which the read's {@code ValueRef} points at. */
  public static final int FOUND = 1;

  /** The key was deleted: older data does not count. */
  public static final int DELETED = 2;

  private LookupResult() {}
}
