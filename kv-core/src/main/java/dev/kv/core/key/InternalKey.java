package dev.kv.core.key;

import dev.kv.bytes.Escape;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The layout of the keys that the engine stores.
 *
 * <pre>
 * internal key := user key, tag
 * tag          := fixed64 of (sequence &lt;&lt; 8 | kind), unsigned
 * </pre>
 */
public final class InternalKey {
  /** Bytes of the tag. */
  public static final int TRAILER = Long.BYTES;

  /** The largest sequence number; its tag is a negative long. */
  public static final long MAX_SEQUENCE = (1L << 56) - 1;

  /**
   * The largest user key that is written. An edit has the smallest and the largest key of each
   * table, and must fit into an array. Longer keys that another program has written are read.
   */
  public static final int MAX_USER_KEY = 64 << 20;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private InternalKey() {}

  /** Throws IllegalArgumentException if a user key is too long to be written. */
  public static void requireWritable(int userKeyLength) {
    if (userKeyLength > MAX_USER_KEY) {
      throw new IllegalArgumentException(
          "a key of " + userKeyLength + " bytes: at most 64 MiB can be written");
    }
  }

  /** Returns the tag of {@code sequence}, at most {@link #MAX_SEQUENCE}, and {@code kind}. */
  public static long pack(long sequence, ValueKind kind) {
    if (sequence < 0 || sequence > MAX_SEQUENCE) {
      throw new AssertionError("sequence out of range: " + sequence);
    }
    return sequence << 8 | kind.code();
  }

  /** Returns the tag of a seek to the newest entry at or below {@code sequence}. */
  public static long seekTag(long sequence) {
    return pack(sequence, ValueKind.VALUE);
  }

  /** Returns the sequence number in {@code tag}. */
  public static long sequence(long tag) {
    return tag >>> 8;
  }

  /** Returns the kind's code in {@code tag}, unchecked, from 0 to 255; above 1 is corruption. */
  public static int kindCode(long tag) {
    return (int) tag & 0xff;
  }

  /** Returns the tag of an internal key of at least {@link #TRAILER} bytes. */
  public static long tag(ByteBuffer buffer, int offset, int length) {
    return buffer.getLong(offset + length - TRAILER);
  }

  /** Returns the tag of {@code internalKey}. */
  public static long tag(byte[] internalKey) {
    return (long) LONG.get(internalKey, internalKey.length - TRAILER);
  }

  /** Returns true if the key is long enough for a tag and the tag's kind is known. */
  public static boolean isWellFormed(ByteBuffer buffer, int offset, int length) {
    return length >= TRAILER && kindCode(tag(buffer, offset, length)) <= 1;
  }

  /** Returns true if the key is long enough for a tag and the tag's kind is known. */
  public static boolean isWellFormed(byte[] internalKey) {
    return internalKey.length >= TRAILER && kindCode(tag(internalKey)) <= 1;
  }

  /** Returns a new internal key. */
  public static byte[] encode(byte[] userKey, long sequence, ValueKind kind) {
    return encode(userKey, pack(sequence, kind));
  }

  static byte[] encode(byte[] userKey, long tag) {
    byte[] key = Arrays.copyOf(userKey, userKey.length + TRAILER);
    LONG.set(key, userKey.length, tag);
    return key;
  }

  /** Returns a copy of an internal key. */
  public static byte[] copy(ByteBuffer buffer, int offset, int length) {
    byte[] key = new byte[length];
    buffer.get(offset, key);
    return key;
  }

  /** Returns a copy of the user key in {@code internalKey}. */
  public static byte[] userKey(byte[] internalKey) {
    return Arrays.copyOf(internalKey, internalKey.length - TRAILER);
  }

  /** Returns a printable form, {@code 'user key' @ sequence : kind}; accepts any bytes. */
  public static String describe(byte[] internalKey) {
    if (internalKey.length < TRAILER) {
      return "(bad)" + Escape.bytes(internalKey);
    }
    long tag = tag(internalKey);
    return "'"
        + Escape.bytes(userKey(internalKey))
        + "' @ "
        + sequence(tag)
        + " : "
        + kindCode(tag);
  }
}
