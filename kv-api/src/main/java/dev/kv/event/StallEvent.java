package dev.kv.event;

/**
 * A write was held back because flushes or compactions were behind, and has continued.
 *
 * @param database the directory of the database
 * @param reason why it was held back
 * @param level0Tables the number of tables in level 0 at the end
 * @param micros the time that it was held back
 */
public record StallEvent(String database, Reason reason, int level0Tables, long micros)
    implements DBEvent {

  /** Why writes are held back. */
  public enum Reason {
    /**
     * Level 0 has many tables, because compactions are behind: writes are limited to a rate, and
     * each pause is at most 20 ms.
     */
    LEVEL_0_SLOWDOWN,
    /** Level 0 has too many tables: writes wait until a compaction has ended. */
    LEVEL_0_STOP,
    /** Too many full memtables wait for their flush: writes wait until one was flushed. */
    FLUSH_BEHIND
  }
}
