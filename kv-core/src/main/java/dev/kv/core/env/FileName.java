package dev.kv.core.env;

/**
 * The name of one of a database's files, parsed.
 *
 * @param kind what the file is
 * @param number its number; 0 for a kind that has none
 */
public record FileName(Kind kind, long number) {
  /** What a file of a database is. */
  public enum Kind {
    /** A log of writes, {@code 000003.log}. */
    LOG,
    /** A table, {@code 000005.ldb} or, of old, {@code 000005.sst}. */
    TABLE,
    /** A history of version edits, {@code MANIFEST-000002}. */
    MANIFEST,
    /** The file that names the manifest in use. */
    CURRENT,
    /** The file whose lock keeps a second opener out. */
    LOCK,
    /** A file that has not got its final name yet, {@code 000007.dbtmp}. */
    TEMP,
    /** A text for people, {@code LOG} or {@code LOG.old}. */
    INFO_LOG
  }
}
