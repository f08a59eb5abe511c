package dev.kv.core.codec;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Snappy's raw format in Java, between direct little-endian buffers, with every bound checked. An
 * instance compresses for one thread at a time; decompression needs none.
 *
 * <pre>
 * stream  := uncompressed length varint32, element*
 * element := literal | copy
 * literal := (length - 1) &lt;&lt; 2 | 0, or 60..63 &lt;&lt; 2 for a length - 1 in 1..4 bytes behind, bytes
 * copy    := offset high 3 bits, (length - 4) &lt;&lt; 2 | 1, offset low 8 bits    length 4..11
 *          | (length - 1) &lt;&lt; 2 | 2, offset 16 bits
 *          | (length - 1) &lt;&lt; 2 | 3, offset 32 bits
 * </pre>
 *
 * The compressor is greedy: a hash table remembers where four bytes were last seen in this 64 KiB piece of
 * the input; a hit becomes a copy, what lies between becomes a literal, and the step grows while nothing
 * is found.
 */
final class JavaSnappy {
  private static final int LITERAL = 0;
  private static final int COPY_1 = 1;
  private static final int COPY_2 = 2;

  private static final int PIECE = 1 << 16;
  private static final int MAX_TABLE_LOG = 14;
  private static final int HASH = 0x1e35a7bd;
  private static final int MIN_MATCH = 4;

  /** The last bytes of a piece are not searched, so that eight-byte loads stay inside. */
  private static final int MARGIN = 15;

  private final short[] table = new short[1 << MAX_TABLE_LOG];

  JavaSnappy() {}

  /** Returns the most bytes that {@code length} bytes can become. */
  static int maxCompressedLength(int length) {
    return Math.addExact(32 + length, length / 6);
  }

  int compress(ByteBuffer source, int offset, int length, ByteBuffer target, int targetOffset) {
    int at = Varint.put32(target, targetOffset, length);
    int end = offset + length;
    for (int piece = offset; piece < end; piece += PIECE) {
      at = compressPiece(source, piece, Math.min(end, piece + PIECE), target, at);
    }
    return at - targetOffset;
  }

  private int compressPiece(ByteBuffer in, int start, int end, ByteBuffer out, int outStart) {
    int tableLog = 8;
    while (tableLog < MAX_TABLE_LOG && 1 << tableLog < end - start) {
      tableLog++;
    }
    Arrays.fill(table, 0, 1 << tableLog, (short) 0);
    int shift = 32 - tableLog;
    int limit = end - MARGIN;
    int at = outStart;
    int literal = start;
    int position = start + 1;
    int skip = 32;
    while (position < limit) {
      int word = in.getInt(position);
      int slot = word * HASH >>> shift;
      int candidate = start + (table[slot] & 0xffff);
      table[slot] = (short) (position - start);
      if (in.getInt(candidate) != word || candidate >= position) {
        position += skip++ >>> 5;
        continue;
      }
      at = putLiteral(in, literal, position - literal, out, at);
      int matched = MIN_MATCH + matchLength(in, candidate + MIN_MATCH, position + MIN_MATCH, end);
      at = putCopy(out, at, position - candidate, matched);
      position += matched;
      literal = position;
      skip = 32;
      if (position < limit) {
        table[in.getInt(position - 1) * HASH >>> shift] = (short) (position - 1 - start);
      }
    }
    return putLiteral(in, literal, end - literal, out, at);
  }

  private static int matchLength(ByteBuffer in, int a, int b, int end) {
    int at = b;
    int other = a;
    while (at + Long.BYTES <= end) {
      long difference = in.getLong(at) ^ in.getLong(other);
      if (difference != 0) {
        return at - b + (Long.numberOfTrailingZeros(difference) >>> 3);
      }
      at += Long.BYTES;
      other += Long.BYTES;
    }
    while (at < end && in.get(at) == in.get(other)) {
      at++;
      other++;
    }
    return at - b;
  }

  private static int putLiteral(ByteBuffer in, int from, int length, ByteBuffer out, int outAt) {
    if (length == 0) {
      return outAt;
    }
    int at = outAt;
    int n = length - 1;
    if (n < 60) {
      out.put(at++, (byte) (n << 2 | LITERAL));
    } else if (n < 1 << 8) {
      out.put(at++, (byte) (60 << 2 | LITERAL));
      out.put(at++, (byte) n);
    } else {
      out.put(at++, (byte) (61 << 2 | LITERAL));
      out.putShort(at, (short) n);
      at += 2;
    }
    out.put(at, in, from, length);
    return at + length;
  }

  private static int putCopy(ByteBuffer out, int outAt, int distance, int length) {
    int at = outAt;
    int left = length;
    while (left >= 68) {
      at = putLongCopy(out, at, distance, 64);
      left -= 64;
    }
    if (left > 64) {
      at = putLongCopy(out, at, distance, 60);
      left -= 60;
    }
    if (left >= 12 || distance >= 2048) {
      return putLongCopy(out, at, distance, left);
    }
    out.put(at, (byte) (distance >>> 8 << 5 | left - 4 << 2 | COPY_1));
    out.put(at + 1, (byte) distance);
    return at + 2;
  }

  private static int putLongCopy(ByteBuffer out, int at, int distance, int length) {
    out.put(at, (byte) (length - 1 << 2 | COPY_2));
    out.putShort(at + 1, (short) distance);
    return at + 3;
  }

  /** Returns the length that the stream claims. */
  static int uncompressedLength(ByteBuffer source, int offset, int length)
      throws MalformedBlockException {
    long header = Varint.get32(source, offset, offset + length);
    if (header == Varint.MALFORMED || Varint.value32(header) < 0) {
      throw new MalformedBlockException("snappy block without a length");
    }
    return Varint.value32(header);
  }

  /** Decompresses into exactly {@code targetLength} bytes. */
  static void uncompress(
      ByteBuffer source,
      int offset,
      int length,
      ByteBuffer target,
      int targetOffset,
      int targetLength)
      throws MalformedBlockException {
    int end = offset + length;
    int outEnd = targetOffset + targetLength;
    long header = Varint.get32(source, offset, end);
    if (header == Varint.MALFORMED || Varint.value32(header) != targetLength) {
      throw new MalformedBlockException("snappy block of another length");
    }
    int in = Varint.next32(header);
    int out = targetOffset;
    while (in < end) {
      int tag = source.get(in++) & 0xff;
      int extra =
          (tag & 3) == LITERAL ? Math.max(0, (tag >>> 2) - 59) : (tag & 3) == 3 ? 4 : tag & 3;
      if (extra > end - in) {
        throw truncated();
      }
      if ((tag & 3) == LITERAL) {
        long size = (extra == 0 ? tag >>> 2 : read(source, in, extra)) + 1;
        in += extra;
        if (size > end - in || size > outEnd - out) {
          throw truncated();
        }
        copyLiteral(source, in, target, out, (int) size, end, outEnd);
        in += (int) size;
        out += (int) size;
      } else {
        int size = (tag & 3) == COPY_1 ? 4 + (tag >>> 2 & 7) : 1 + (tag >>> 2);
        long distance = read(source, in, extra) | ((tag & 3) == COPY_1 ? tag >>> 5 << 8 : 0);
        in += extra;
        if (distance == 0 || distance > out - targetOffset || size > outEnd - out) {
          throw new MalformedBlockException("snappy copy from outside the block");
        }
        copyBack(target, out, (int) distance, size, outEnd);
        out += size;
      }
    }
    if (out != outEnd) {
      throw new MalformedBlockException("snappy block ends early");
    }
  }

  private static long read(ByteBuffer source, int offset, int bytes) {
    return switch (bytes) {
      case 1 -> source.get(offset) & 0xffL;
      case 2 -> source.getShort(offset) & 0xffffL;
      case 3 -> source.getShort(offset) & 0xffffL | (source.get(offset + 2) & 0xffL) << 16;
      default -> source.getInt(offset) & 0xffffffffL;
    };
  }

  /** Copies a literal; a short one in two loads of eight where both buffers have the room. */
  private static void copyLiteral(
      ByteBuffer source, int in, ByteBuffer target, int out, int size, int end, int outEnd) {
    if (size <= 16 && end - in >= 16 && outEnd - out >= 16) {
      target.putLong(out, source.getLong(in));
      target.putLong(out + 8, source.getLong(in + 8));
    } else {
      target.put(out, source, in, size);
    }
  }

  /**
   * Repeats {@code size} bytes from {@code distance} back. Eight at a time, the last ones too many, where
   * there is room for that: a pattern shorter than eight is written over itself until it is as long.
   */
  private static void copyBack(ByteBuffer target, int out, int distance, int size, int outEnd) {
    int from = out - distance;
    int at = out;
    int last = out + size;
    if (outEnd - last >= Long.BYTES) {
      while (at - from < Long.BYTES && at < last) {
        target.putLong(at, target.getLong(from));
        at += at - from;
      }
      for (; at < last; at += Long.BYTES, from += Long.BYTES) {
        target.putLong(at, target.getLong(from));
      }
    } else {
      for (; at < last; at++, from++) {
        target.put(at, target.get(from));
      }
    }
  }

  private static MalformedBlockException truncated() {
    return new MalformedBlockException("snappy block is cut short");
  }
}
