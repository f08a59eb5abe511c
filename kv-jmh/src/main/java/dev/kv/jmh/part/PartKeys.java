package dev.kv.jmh.part;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.ValueKind;
import dev.kv.jmh.workload.DecimalKey;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The keys of db_bench in direct buffers, as the engine has them. */
final class PartKeys {
  /** The size of a user key in bytes. */
  static final int USER_KEY = DecimalKey.DIGITS;

  /** The size of an internal key in bytes. */
  static final int INTERNAL_KEY = USER_KEY + InternalKey.TRAILER;

  private PartKeys() {}

  static ByteBuffer direct(int capacity) {
    return ByteBuffer.allocateDirect(capacity).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Writes the internal key of {@code number} at {@code offset}. */
  static void putInternal(ByteBuffer target, int offset, DecimalKey key, long number) {
    target.put(offset, key.set(number));
    target.putLong(offset + USER_KEY, InternalKey.pack(1, ValueKind.VALUE));
  }
}
