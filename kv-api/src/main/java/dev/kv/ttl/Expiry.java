package dev.kv.ttl;

import dev.kv.bytes.Slice;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.file.PendingFault;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;

/**
 * The time at which a value expires, before its bytes.
 *
 * <pre>
 * stored := mark time value
 * mark   := the byte d7, so that few other values look like one
 * time   := milliseconds since 1970, 7 bytes, big-endian; the largest number means never
 * </pre>
 */
final class Expiry {
  /** The length of mark and time. */
  static final int LENGTH = Long.BYTES;

  /** The time of a value that does not expire. */
  static final long NEVER = (1L << 56) - 1;

  private static final long MARK = 0xd7;

  private static final PendingFault PENDING_FAULT = new PendingFault();

  private Expiry() {}

  /** Returns the time at which a value expires that is written now. */
  static long after(InstantSource clock, Duration timeToLive) {
    long now = Math.max(0, clock.millis());
    long left;
    try {
      left = timeToLive.toMillis();
    } catch (ArithmeticException tooLong) {
      return NEVER;
    }
    return left >= NEVER - now ? NEVER : now + left;
  }

  /** Returns the stored form of a value. */
  static byte[] encode(long expiry, byte[] value) {
    return encode(expiry, ByteBuffer.wrap(value));
  }

  /**
   * Returns the stored form of the remaining bytes, whose position does not change.
   *
   * @throws IllegalStateException if the buffer maps a file that was cut short
   */
  static byte[] encode(long expiry, ByteBuffer value) {
    Objects.requireNonNull(value, "value");
    byte[] stored = new byte[Math.addExact(LENGTH, value.remaining())];
    ByteBuffer into = ByteBuffer.wrap(stored).putLong(0, MARK << 56 | expiry);
    PENDING_FAULT.copyKeyOrValue(value, into, LENGTH);
    return stored;
  }

  /** Returns true if the bytes have a time. */
  static boolean isPresent(Slice stored) {
    return stored.length() >= LENGTH && (stored.byteAt(0) & 0xff) == MARK;
  }

  /**
   * Returns the time at which a stored value expires.
   *
   * @throws UnsupportedFormatException if the bytes have no time
   */
  static long of(Slice stored) {
    if (!isPresent(stored)) {
      throw new UnsupportedFormatException(
          "a value has no time at which it expires: it was not written through a TimeToLive");
    }
    return stored.getLong(0, ByteOrder.BIG_ENDIAN) & NEVER;
  }

  /** Returns true if a stored value has not expired at {@code now}, in milliseconds. */
  static boolean isLive(Slice stored, long now) {
    long expiry = of(stored);
    return expiry > now || expiry == NEVER;
  }

  /** Returns the time as an instant; the largest one if the value does not expire. */
  static Instant instant(Slice stored) {
    long expiry = of(stored);
    return expiry == NEVER ? Instant.MAX : Instant.ofEpochMilli(expiry);
  }
}
