package dev.kv;

/**
 * How the files of new tables are named; the content is the same. Tables of either name are read,
 * so the two may stand side by side in a directory.
 */
public enum TableSuffix {
  /** {@code 000005.ldb}, as LevelDB names tables since 1.14. The default. */
  LDB(".ldb"),
  /**
   * {@code 000005.sst}, as LevelDB named them before. Every version of LevelDB reads it; leveldbjni
   * and iq80's port read no other.
   */
  SST(".sst");

  private final String text;

  TableSuffix(String text) {
    this.text = text;
  }

  /**
   * Returns the end of the file's name.
   *
   * @return the suffix with its dot
   */
  public String text() {
    return text;
  }

  /**
   * Returns the suffix that this is not.
   *
   * @return {@link #SST} for {@link #LDB}, and the reverse
   */
  public TableSuffix other() {
    return this == LDB ? SST : LDB;
  }
}
