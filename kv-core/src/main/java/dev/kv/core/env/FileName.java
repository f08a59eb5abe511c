package dev.kv.core.env;

/**
 * The name of one of a database's files, parsed. Ordered by number.
 *
 * @param kind the kind of the file
 * @param number its number; 0 for a kind that has none
 * @param text the name
 */
public record FileName(Kind kind, long number, String text) implements Comparable<FileName> {
  /** The kinds of files of a database. */
  public enum Kind {
    /** A log of writes, {@code 000003.log}. */
    LOG,
    /** A table, {@code 000005.ldb} or, before LevelDB 1.14, {@code 000005.sst}. */
    TABLE,
    /** A history of version edits, {@code MANIFEST-000002}. */
    MANIFEST,
    /** The file that contains the name of the current manifest. */
    CURRENT,
    /** The file that is locked while the database is open. */
    LOCK,
    /** A file that does not have its final name yet, {@code 000007.dbtmp}. */
    TEMP,
    /** The info log of C++ LevelDB, {@code LOG} or {@code LOG.old}. */
    INFO_LOG,
    /** The incarnations of the database, {@code CHANGES}; only if logs are kept for readers. */
    CHANGES
  }

  @Override
  public int compareTo(FileName other) {
    int order = Long.compare(number, other.number);
    return order != 0 ? order : text.compareTo(other.text);
  }
}
