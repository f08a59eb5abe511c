package dev.kv.core.codec;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The checksum of logs and tables: CRC32C, stored masked, because a checksum over bytes that hold
 * checksums is a weak one.
 *
 * <p>Not thread-safe. Never give it a mapped buffer: where the file was cut under the mapping, the
 * intrinsic behind CRC32C ends the JVM. Copy the bytes out first.
 */
public final class MaskedCrc32c {
  private static final int DELTA = 0xa282ead8;

  private final CRC32C crc = new CRC32C();

  /** The buffer last summed, and our own view of it: CRC32C wants a position to move. */
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

  /** Begins again with nothing. */
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

  /** Adds bytes of a heap array. */
  public void update(byte[] bytes, int offset, int length) {
    crc.update(bytes, offset, length);
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
