package dev.kv.event;

/**
 * A compaction has replaced tables by others. A compaction that only moves one table to the next
 * level reads and writes nothing.
 *
 * @param database the directory of the database
 * @param reason why the tables were compacted, in lower case: {@code size} if their level was too
 *     large, {@code seek} if reads searched a table too often without finding a key, {@code
 *     tombstones} if a table had many of them, {@code manual} if the program asked for it. Later
 *     versions may have other reasons
 * @param level the level of the tables
 * @param outputLevel the level of the new tables; {@code level} itself if the tables were rewritten
 *     in place
 * @param inputs the number of tables of {@code level}
 * @param nextLevelInputs the number of tables of the next level that were merged with them
 * @param outputs the number of new tables
 * @param bytesRead the size of the tables that were read
 * @param bytesWritten the size of the new tables
 * @param entriesRead the number of entries that were read
 * @param entriesWritten the number of entries in the new tables
 * @param micros the time that the compaction took
 */
public record CompactionEvent(
    String database,
    String reason,
    int level,
    int outputLevel,
    int inputs,
    int nextLevelInputs,
    int outputs,
    long bytesRead,
    long bytesWritten,
    long entriesRead,
    long entriesWritten,
    long micros)
    implements DBEvent {
  /**
   * Returns true if the table was only moved to the next level.
   *
   * @return true if nothing was read or written
   */
  public boolean isMove() {
    return bytesRead == 0 && bytesWritten == 0;
  }
}
