package dev.kv.options;

/** How the blocks of a table are stored. The codes are LevelDB's and part of its format. */
public enum CompressionType {
  /** Blocks are stored uncompressed. */
  NONE(0),
  /** Blocks are compressed with raw Snappy. The default. */
  SNAPPY(1),
  /**
   * Blocks are compressed with Zstandard. It needs zstd-jni on the class path, or on the module
   * path and named by {@code --add-modules}. Releases of LevelDB after 1.23 read such blocks.
   */
  ZSTD(2);

  private final byte code;

  CompressionType(int code) {
    this.code = (byte) code;
  }

  /**
   * Returns the byte that represents this type in the trailer of a block.
   *
   * @return the code on disk
   */
  public byte code() {
    return code;
  }
}
