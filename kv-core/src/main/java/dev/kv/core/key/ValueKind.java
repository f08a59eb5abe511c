package dev.kv.core.key;

/** The kind of an entry; its code is the low byte of the tag. */
public enum ValueKind {
  /** The key is deleted: a tombstone. */
  DELETION(0),
  /** The key has a value. Also the kind of seek targets, because it sorts first. */
  VALUE(1);

  private final byte code;

  ValueKind(int code) {
    this.code = (byte) code;
  }

  /** Returns the byte on disk. */
  public byte code() {
    return code;
  }
}
