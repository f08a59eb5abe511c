package dev.kv.core.codec;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The checksum of logs and tables: CRC32C, stored masked, because a checksum over bytes that
 * contain checksums is weak.
 *
 * <p>Not thread-safe. Never pass a mapped buffer: if the file was truncated, the intrinsic of
 * CRC32C crashes the JVM. Copy the bytes out first.
 */
public final class MaskedCrc32c {
  private static final int DELTA = 0xa282ead8;

  private final CRC32C crc = new CRC32C();

  /** The last buffer, and a view of it: CRC32C moves the position of its argument. */
  private @Nullable ByteBuffer viewed;

  private @Nullable ByteBuffer view;

  /** Creates a sum over nothing. */
  public MaskedCrc32c() {}

  /** Returns the stored form of {@code crc}. */
  public static int mask(int crc) {
    return Integer.rotateRight(crc, 15) + DELTA;
  }

  /** Returns the CRC whose stored form is {@code masked}. */
  public static int unmask(int masked) {
    return Integer.rotateLeft(masked - DELTA, 15);
  }

  /** Resets the sum to no bytes. */
  public void reset() {
    crc.reset();
  }

  /** Adds {@code length} bytes of {@code direct} from {@code offset} on; its position stays. */
  @SuppressWarnings("ReferenceEquality") // the same buffer object, not the same contents
  public void update(ByteBuffer direct, int offset, int length) {
    ByteBuffer own = view;
    if (own == null || direct != viewed) {
      own = direct.duplicate();
      view = own;
      viewed = direct;
    }
    own.limit(offset + length).position(offset);
    crc.update(own);
  }

  /** Adds one byte. */
  public void update(byte b) {
    crc.update(b);
  }

  /** Returns the CRC of what was added since the reset. */
  public int value() {
    return (int) crc.getValue();
  }

  /** Returns the stored form of {@link #value}. */
  public int maskedValue() {
    return mask(value());
  }
}
