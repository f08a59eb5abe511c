package dev.kv.core.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Snappy's raw format in Java, between direct buffers, with every bound checked. Belongs to one
 * thread at a time.
 *
 * <pre>
 * stream  := uncompressed length varint32, element*
 * element := literal | copy
 * literal := (length - 1) &lt;&lt; 2 | 0, bytes                               length 1..60
 *          | 60..63 &lt;&lt; 2, length - 1 in 1..4 bytes, bytes
 * copy    := offset high 3 bits, (length - 4) &lt;&lt; 2 | 1, offset low 8 bits    length 4..11
 *          | (length - 1) &lt;&lt; 2 | 2, offset 16 bits
 *          | (length - 1) &lt;&lt; 2 | 3, offset 32 bits
 * </pre>
 *
 * The codec works on arrays on the heap and copies its input and output in bulk: with single
 * accesses to direct buffers it takes twice as long. The arrays have {@link #SLACK} bytes after the
 * data. So runs of up to {@link #WORDWISE} bytes are copied in whole words, some bytes too many,
 * without a check for the end.
 *
 * <p>The compressor is greedy: a hash table remembers the last position of four bytes in this 64
 * KiB piece of the input. A hit becomes a copy, the bytes between two hits become a literal, and
 * the step grows while there is no hit.
 */
final class JavaSnappy {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int LITERAL = 0;
  private static final int COPY_1 = 1;
  private static final int COPY_2 = 2;

  /** The longest literal whose length is in its tag. */
  private static final int SHORT_LITERAL = 60;

  /**
   * Up to this length words are faster than a bulk copy, which is a call. No copy from the output
   * is longer than 64 bytes.
   */
  private static final int WORDWISE = 96;

  private static final int SLACK = WORDWISE + Long.BYTES;

  /** Arrays above this are not kept. */
  private static final int LARGEST_KEPT = 1 << 20;

  private static final int PIECE = 1 << 16;
  private static final int MAX_TABLE_LOG = 14;
  private static final int HASH = 0x1e35a7bd;
  private static final int MIN_MATCH = 4;

  /** The last bytes of a piece are not searched: a match there saves nothing. */
  private static final int MARGIN = 15;

  private static final byte[] NOTHING = new byte[0];

  private final short[] table = new short[1 << MAX_TABLE_LOG];
  private byte[] input = NOTHING;
  private byte[] output = NOTHING;

  JavaSnappy() {}

  /** Returns the most bytes that {@code length} bytes compress to. */
  static int maxCompressedLength(int length) {
    return Math.addExact(32 + length, length / 6);
  }

  private void reserve(int inputLength, int outputLength) {
    input = reserved(input, inputLength);
    output = reserved(output, outputLength);
  }

  private static byte[] reserved(byte[] array, int length) {
    int needed = Math.addExact(length, SLACK);
    return array.length >= needed ? array : new byte[needed];
  }

  private void dropLarge() {
    if (input.length > LARGEST_KEPT || output.length > LARGEST_KEPT) {
      input = NOTHING;
      output = NOTHING;
    }
  }

  int compress(ByteBuffer source, int length, ByteBuffer target, int targetOffset) {
    int at = Varint.put32(target, targetOffset, length);
    int left = length;
    for (int piece = 0; left > 0; piece += PIECE) {
      int size = Math.min(left, PIECE);
      reserve(size, maxCompressedLength(size));
      source.get(piece, input, 0, size);
      int written = compressPiece(input, size, output, table);
      target.put(at, output, 0, written);
      at += written;
      left -= size;
    }
    return at - targetOffset;
  }

  private static int compressPiece(byte[] in, int end, byte[] out, short[] seen) {
    int tableLog = 8;
    while (tableLog < MAX_TABLE_LOG && 1 << tableLog < end) {
      tableLog++;
    }
    Arrays.fill(seen, 0, 1 << tableLog, (short) 0);
    int shift = 32 - tableLog;
    int limit = end - MARGIN;
    int at = 0;
    int literal = 0;
    int position = 1;
    int skip = 32;
    while (position < limit) {
      int word = (int) INT.get(in, position);
      int slot = word * HASH >>> shift;
      int candidate = seen[slot] & 0xffff;
      seen[slot] = (short) position;
      if ((int) INT.get(in, candidate) != word) {
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
        seen[(int) INT.get(in, position - 1) * HASH >>> shift] = (short) (position - 1);
      }
    }
    return putLiteral(in, literal, end - literal, out, at);
  }

  private static int matchLength(byte[] in, int a, int b, int end) {
    int at = b;
    int other = a;
    while (at + Long.BYTES <= end) {
      long difference = (long) LONG.get(in, at) ^ (long) LONG.get(in, other);
      if (difference != 0) {
        return at - b + (Long.numberOfTrailingZeros(difference) >>> 3);
      }
      at += Long.BYTES;
      other += Long.BYTES;
    }
    while (at < end && in[at] == in[other]) {
      at++;
      other++;
    }
    return at - b;
  }

  private static int putLiteral(byte[] in, int from, int length, byte[] out, int outAt) {
    if (length == 0) {
      return outAt;
    }
    int at = outAt;
    int n = length - 1;
    if (n < SHORT_LITERAL) {
      out[at++] = (byte) (n << 2 | LITERAL);
    } else if (n < 1 << 8) {
      out[at++] = (byte) (SHORT_LITERAL << 2 | LITERAL);
      out[at++] = (byte) n;
    } else {
      out[at++] = (byte) (SHORT_LITERAL + 1 << 2 | LITERAL);
      SHORT.set(out, at, (short) n);
      at += Short.BYTES;
    }
    copyRun(in, from, out, at, length);
    return at + length;
  }

  private static int putCopy(byte[] out, int outAt, int distance, int length) {
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
    out[at] = (byte) (distance >>> 8 << 5 | left - 4 << 2 | COPY_1);
    out[at + 1] = (byte) distance;
    return at + 2;
  }

  private static int putLongCopy(byte[] out, int at, int distance, int length) {
    out[at] = (byte) (length - 1 << 2 | COPY_2);
    SHORT.set(out, at + 1, (short) distance);
    return at + 3;
  }

  /** Returns the length that the stream claims. */
  static int uncompressedLength(ByteBuffer source, int length) throws MalformedBlockException {
    long header = Varint.get32(source, 0, length);
    if (header == Varint.MALFORMED || Varint.value32(header) < 0) {
      throw new MalformedBlockException("snappy block without a length");
    }
    return Varint.value32(header);
  }

  /** Decompresses into exactly {@code targetLength} bytes; nothing is written if that fails. */
  void uncompress(ByteBuffer source, int length, ByteBuffer target, int targetLength)
      throws MalformedBlockException {
    long header = Varint.get32(source, 0, length);
    if (header == Varint.MALFORMED || Varint.value32(header) != targetLength) {
      throw new MalformedBlockException("snappy block of another length");
    }
    int elements = Varint.next32(header);
    int size = length - elements;
    reserve(size, targetLength);
    source.get(elements, input, 0, size);
    uncompress(input, size, output, targetLength);
    target.put(0, output, 0, targetLength);
    dropLarge();
  }

  /**
   * Decodes the elements. It is one loop on purpose: a read of a block spends most of its time
   * here.
   */
  private static void uncompress(byte[] source, int end, byte[] target, int outEnd)
      throws MalformedBlockException {
    int in = 0;
    int out = 0;
    while (in < end) {
      int tag = source[in++] & 0xff;
      int size = (tag >>> 2) + 1;
      if ((tag & 3) == LITERAL) {
        if (size > SHORT_LITERAL) {
          if (size == SHORT_LITERAL + 1) {
            size = (source[in++] & 0xff) + 1;
          } else {
            int bytes = size - SHORT_LITERAL;
            size = longLiteral(source, in, bytes);
            in += bytes;
          }
        }
        if (size > end - in || size > outEnd - out) {
          throw new MalformedBlockException("snappy block is cut short");
        }
        copyRun(source, in, target, out, size);
        in += size;
      } else {
        // After the end this reads the slack; then in is above end, which the check below finds.
        int distance;
        if ((tag & 3) == COPY_1) {
          size = 4 + (tag >>> 2 & 7);
          distance = tag >>> 5 << 8 | source[in] & 0xff;
          in += 1;
        } else if ((tag & 3) == COPY_2) {
          distance = (short) SHORT.get(source, in) & 0xffff;
          in += 2;
        } else {
          distance = (int) INT.get(source, in);
          in += 4;
        }
        // Unsigned, so that distances of 0 and of 2 GiB and more are too far as well.
        if (Integer.compareUnsigned(distance - 1, out) >= 0 || size > outEnd - out || in > end) {
          throw new MalformedBlockException("snappy copy from outside the block");
        }
        repeat(target, out, distance, size);
      }
      out += size;
    }
    if (out != outEnd) {
      throw new MalformedBlockException("snappy block ends early");
    }
  }

  /**
   * Returns the length of a literal, stored in {@code bytes} bytes, or a length that is too long.
   */
  private static int longLiteral(byte[] source, int offset, int bytes) {
    long size = 0;
    for (int i = bytes - 1; i >= 0; i--) {
      size = size << 8 | source[offset + i] & 0xff;
    }
    return (int) Math.min(size + 1, Integer.MAX_VALUE);
  }

  /**
   * Copies a run; up to {@link #WORDWISE} bytes in whole words, so that some bytes too many are
   * copied.
   */
  private static void copyRun(byte[] source, int from, byte[] target, int at, int size) {
    if (size > WORDWISE) {
      System.arraycopy(source, from, target, at, size);
      return;
    }
    copy16(source, from, target, at);
    if (size > 16) {
      copy16(source, from + 16, target, at + 16);
      if (size > 32) {
        copy16(source, from + 32, target, at + 32);
        copy16(source, from + 48, target, at + 48);
        if (size > 64) {
          copy16(source, from + 64, target, at + 64);
          copy16(source, from + 80, target, at + 80);
        }
      }
    }
  }

  private static void copy16(byte[] source, int from, byte[] target, int at) {
    LONG.set(target, at, (long) LONG.get(source, from));
    LONG.set(target, at + Long.BYTES, (long) LONG.get(source, from + Long.BYTES));
  }

  /**
   * Repeats {@code size} bytes from {@code distance} bytes before. A pattern shorter than a word is
   * first doubled until it is as long as a word.
   */
  private static void repeat(byte[] target, int out, int distance, int size) {
    int from = out - distance;
    if (distance >= Long.BYTES) {
      copyRun(target, from, target, out, size);
      return;
    }
    int at = out;
    int last = out + size;
    while (at - from < Long.BYTES && at < last) {
      LONG.set(target, at, (long) LONG.get(target, from));
      at += at - from;
    }
    for (; at < last; at += Long.BYTES, from += Long.BYTES) {
      LONG.set(target, at, (long) LONG.get(target, from));
    }
  }
}
