package dev.kv.core.version;

/** The constants of the tree's shape; LevelDB's own, so that both shape a directory alike. */
public final class Levels {
  /** How many levels there are. */
  public static final int COUNT = 7;

  /** How many level-0 tables make level 0 worth a compaction. */
  public static final int LEVEL_0_COMPACTION_TRIGGER = 4;

  /** How many level-0 tables slow writers down. */
  public static final int LEVEL_0_SLOWDOWN_TRIGGER = 8;

  /** How many level-0 tables stop writers. */
  public static final int LEVEL_0_STOP_TRIGGER = 12;

  /** The deepest level that a flushed memtable is placed in. */
  public static final int MAX_MEMTABLE_LEVEL = 2;

  /** About how many bytes an iterator reads between two samples for seek compaction. */
  public static final int READ_BYTES_PERIOD = 1 << 20;

  private static final long LEVEL_1_BYTES = 10L << 20;

  private Levels() {}

  /** Returns how many bytes a level holds before it is worth a compaction; for levels from 1 on. */
  public static long maxBytes(int level) {
    long bytes = LEVEL_1_BYTES;
    for (int i = 1; i < level; i++) {
      bytes *= 10;
    }
    return bytes;
  }

  /** Returns how many bytes an output may overlap two levels down before it is ended. */
  public static long maxGrandparentOverlapBytes(long maxFileSize) {
    return 10 * maxFileSize;
  }

  /** Returns how many input bytes a compaction may have after it was widened at its own level. */
  public static long expandedCompactionBytes(long maxFileSize) {
    return 25 * maxFileSize;
  }
}
