package dev.kv;

/** How a table's blocks are stored; the codes are LevelDB's and stand in each block's trailer. */
public enum CompressionType {
  /** Stored as they are. */
  NONE(0),
  /** Raw snappy. The default. */
  SNAPPY(1),
  /** Zstandard; needs zstd-jni on the class path. LevelDB reads it from after 1.23 on. */
  ZSTD(2);

  private final byte code;

  CompressionType(int code) {
    this.code = (byte) code;
  }

  /** Returns the byte that stands for this type on disk. */
  public byte code() {
    return code;
  }
}
