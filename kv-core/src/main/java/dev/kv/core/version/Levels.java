package dev.kv.core.version;

/**
 * The constants of the tree's shape. They are LevelDB's, so that both engines shape a directory
 * alike.
 */
public final class Levels {
  /** The number of levels. */
  public static final int COUNT = 7;

  /** The number of level-0 tables at which a compaction is due. */
  public static final int LEVEL_0_COMPACTION_TRIGGER = 4;

  /** The number of level-0 tables at which writers are slowed down. */
  public static final int LEVEL_0_SLOWDOWN_TRIGGER = 8;

  /** The number of level-0 tables at which writers wait. */
  public static final int LEVEL_0_STOP_TRIGGER = 12;

  /** The deepest level that a flushed memtable is placed in. */
  public static final int MAX_MEMTABLE_LEVEL = 2;

  /** The average number of bytes that an iterator reads between two samples for seek compaction. */
  public static final int READ_BYTES_PERIOD = 1 << 20;

  private static final long LEVEL_1_BYTES = 10L << 20;

  private Levels() {}

  /** Returns the size of a level, in bytes, at which a compaction is due; for levels from 1 on. */
  public static long maxBytes(int level) {
    long bytes = LEVEL_1_BYTES;
    for (int i = 1; i < level; i++) {
      bytes *= 10;
    }
    return bytes;
  }

  /** Returns the bytes that an output may overlap two levels down before it ends. */
  public static long maxGrandparentOverlapBytes(long maxFileSize) {
    return 10 * maxFileSize;
  }

  /** Returns the most input bytes of a compaction that was widened at its own level. */
  public static long expandedCompactionBytes(long maxFileSize) {
    return 25 * maxFileSize;
  }
}
