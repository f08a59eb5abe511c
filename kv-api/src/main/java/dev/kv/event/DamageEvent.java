package dev.kv.event;

/**
 * Damaged bytes were found in a file. Each place is reported once per open and {@code during}, up
 * to 1,024 places; later ones may be reported again.
 *
 * @param database the directory of the database
 * @param during what found the damage
 * @param file the file
 * @param offset the offset in the file; -1 if it is not known
 * @param message what is wrong
 */
public record DamageEvent(String database, During during, String file, long offset, String message)
    implements DBEvent {

  /** What finds damage. */
  public enum During {
    /**
     * The open, in a log; it dropped the bytes, as the recovery mode says. An event without an
     * offset says where the log is now.
     */
    RECOVERY,
    /** A read, also of a range delete or a load, which threw {@code CorruptionException}. */
    READ,
    /** A compaction; its tables stay as they are until the database is opened again. */
    COMPACTION
  }
}
