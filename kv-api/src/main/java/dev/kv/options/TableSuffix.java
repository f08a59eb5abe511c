package dev.kv.options;

/**
 * How the files of new tables are named. Their content is the same. Tables of either name are read,
 * and one directory may have both.
 */
public enum TableSuffix {
  /** Tables are named {@code 000005.ldb}, as by LevelDB 1.14 and later. The default. */
  LDB(".ldb"),
  /**
   * Tables are named {@code 000005.sst}, as by LevelDB before 1.14. Every version of LevelDB reads
   * them; leveldbjni 1.8 and iq80's port read no others.
   */
  SST(".sst");

  private final String text;

  TableSuffix(String text) {
    this.text = text;
  }

  /**
   * Returns the end of the name of a file.
   *
   * @return the suffix with its dot
   */
  public String text() {
    return text;
  }
}
