package dev.kv.core.table.cache;

import dev.kv.core.version.Levels;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The counts of the lookups of one reusable context. The thread that uses the context adds to them;
 * any thread may read them, and may miss what was added just now.
 *
 * <p>A count is one plain read and one opaque write, which is a plain store that the compiler
 * cannot move out of a loop: no atomic operation, and no cache line that two threads write.
 */
public final class LookupCounts {
  /** Lookups answered by a memtable. */
  public static final int MEMTABLES = 0;

  /** Lookups of keys that are nowhere. */
  public static final int MISSING = 1;

  /** Searches of a table that its filter has ended. */
  public static final int FILTER_NEGATIVES = 2;

  /** Searches of a table that its filter has let through, and that did not find the key. */
  public static final int FILTER_FALSE_POSITIVES = 3;

  /** Searches of a table that a filter of missed keys has ended. */
  public static final int CACHED_NEGATIVES = 4;

  /** Data blocks searched. */
  public static final int BLOCKS = 5;

  /** Lookups answered by level 0; the deeper levels follow. */
  public static final int LEVEL_0 = 6;

  /** The number of counts. */
  public static final int COUNT = LEVEL_0 + Levels.COUNT;

  /** Elements before and after the counts, so that two objects share no cache line. */
  private static final int PADDING = 16;

  private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] cells = new long[PADDING + COUNT + PADDING];

  /** Creates the counts, all zero. */
  public LookupCounts() {}

  /** Adds one to a count. Called by the thread that uses the context. */
  public void increment(int count) {
    CELL.setOpaque(cells, PADDING + count, cells[PADDING + count] + 1);
  }

  /** Adds all counts to {@code sums}. */
  public void addTo(long[] sums) {
    for (int i = 0; i < COUNT; i++) {
      sums[i] += (long) CELL.getOpaque(cells, PADDING + i);
    }
  }
}
