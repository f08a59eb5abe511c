package dev.kv.core.key;

/** The result of a point read in one memtable or table. */
public final class LookupResult {
  /** The key was not found; older data may contain it. */
  public static final int NOT_FOUND = 0;

  /** The key has a value, which the read's {@code ValueRef} points at. */
  public static final int FOUND = 1;

  /** The key was deleted; older data must not be searched. */
  public static final int DELETED = 2;

  private LookupResult() {}
}
