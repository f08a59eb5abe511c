package dev.kv.core.key;

import org.jspecify.annotations.Nullable;

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

  /** Returns the kind with that byte, or null if the byte is above 1, which is corruption. */
  public static @Nullable ValueKind of(int code) {
    return switch (code) {
      case 0 -> DELETION;
      case 1 -> VALUE;
      default -> null;
    };
  }
}
