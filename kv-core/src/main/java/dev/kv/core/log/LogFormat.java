package dev.kv.core.log;

import java.nio.ByteBuffer;

/**
 * The layout of a log.
 *
 * <pre>
 *   log      := block*                          the last block may be short
 *   block    := fragment* trailer               32768 bytes
 *   fragment := crc:fixed32 length:fixed16 type:byte payload
 *   trailer  := up to 6 zeros                   if no header fits
 * </pre>
 *
 * <p>crc is the masked CRC32C of type and payload. A record is one FULL fragment, or FIRST, any
 * number of MIDDLE, and LAST in consecutive blocks. If only a header fits at the end of a block,
 * the FIRST has no payload. A fragment of type and length 0 was never written: the rest of its
 * block is skipped.
 */
final class LogFormat {
  static final int BLOCK = 32 << 10;
  static final int HEADER = 4 + 2 + 1;
  static final int MAX_PAYLOAD = BLOCK - HEADER;

  static final int LENGTH_OFFSET = 4;
  static final int TYPE_OFFSET = 6;

  static final byte ZERO = 0;
  static final byte FULL = 1;
  static final byte FIRST = 2;
  static final byte MIDDLE = 3;
  static final byte LAST = 4;

  private LogFormat() {}

  /** Returns the number of bytes left in the block of {@code position}: 1 to 32768. */
  static int leftInBlock(long position) {
    return BLOCK - (int) (position & (BLOCK - 1));
  }

  /**
   * Returns the offset of the next header in a log of {@code length} bytes, which may be after a
   * trailer.
   */
  static long nextHeader(long length) {
    int left = leftInBlock(length);
    return left < HEADER ? length + left : length;
  }

  /**
   * Returns the log's length after a record of {@code payload} bytes whose first header is at
   * {@code header}.
   */
  static long endOfRecord(long header, int payload) {
    int left = leftInBlock(header);
    int inFirst = left - HEADER;
    if (payload <= inFirst) {
      return header + HEADER + payload;
    }
    int rest = payload - inFirst;
    long end = header + left + (long) (rest / MAX_PAYLOAD) * BLOCK;
    int inLast = rest % MAX_PAYLOAD;
    return inLast == 0 ? end : end + HEADER + inLast;
  }

  /**
   * Returns the number of fragments of a record of {@code payload} bytes whose first header is at
   * {@code header}.
   */
  static int fragments(long header, int payload) {
    int inFirst = leftInBlock(header) - HEADER;
    if (payload <= inFirst) {
      return 1;
    }
    return 1 + (int) (((long) payload - inFirst + MAX_PAYLOAD - 1) / MAX_PAYLOAD);
  }

  /** Returns the smallest multiple of the block size that is not below {@code position}. */
  static long roundUp(long position) {
    return (position + BLOCK - 1) & -BLOCK;
  }

  /** Returns true if the bytes of a block from {@code from} up to {@code to} are zero. */
  static boolean isZero(ByteBuffer block, int from, int to) {
    for (int i = from; i < to; i++) {
      if (block.get(i) != 0) {
        return false;
      }
    }
    return true;
  }
}
