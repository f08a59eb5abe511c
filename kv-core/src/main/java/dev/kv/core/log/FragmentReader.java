package dev.kv.core.log;

import dev.kv.core.codec.MaskedCrc32c;
import dev.kv.core.env.FileContents;
import dev.kv.env.SequentialFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads the fragments of a log, block by block. Each step returns a fragment, bytes that are not a
 * fragment, or a gap; the accessors describe the result of the last step. A short read of the file
 * does not count as its end.
 */
final class FragmentReader {
  /**
   * The result of {@link #next} at the end; else it is a fragment's type, 1 to 255, or 0 if
   * damaged.
   */
  static final int END = -1;

  /** Bytes that are not a fragment were skipped. */
  static final int BAD = -2;

  /** A region that was never written was skipped, and a written one follows. */
  static final int GAP = -3;

  private static final int SECTOR = 512;

  private final SequentialFile file;
  private final MaskedCrc32c crc = new MaskedCrc32c();

  // The block: [at, blockLength) is not read yet, block[0] stands at blockStart of the file.
  private final ByteBuffer block;
  private long blockStart;
  private int blockLength;
  private int at;
  private boolean lastBlock;

  /** The offset in the file after the last byte so far that is not zero. */
  private long writtenEnd;

  // A region never written, after which nothing written was found yet; gapStart is -1 if there is
  // none.
  private long gapStart = -1;
  private boolean gapHasBytes;

  private long offset;
  private long bytes;
  private int payloadAt;
  private boolean torn;
  private String reason = "";
  private LogEnd end = LogEnd.RECORD;

  /**
   * Creates a reader of {@code file}, whose position is {@code blockStart}, the beginning of a
   * block.
   *
   * @param block a buffer of one block, used until the end of the read
   */
  FragmentReader(SequentialFile file, long blockStart, ByteBuffer block) {
    this.block = block;
    this.file = file;
    this.blockStart = blockStart;
  }

  /**
   * Reads the next fragment and returns its type, or {@link #END}, {@link #BAD} or {@link #GAP}.
   */
  int next() throws IOException {
    while (true) {
      int left = blockLength - at;
      if (left < LogFormat.HEADER) {
        if (lastBlock) {
          return finish(left);
        }
        readBlock();
        continue;
      }
      int length = block.getShort(at + LogFormat.LENGTH_OFFSET) & 0xffff;
      int type = block.get(at + LogFormat.TYPE_OFFSET) & 0xff;
      if (type == LogFormat.ZERO && length == 0) {
        passUnwritten();
        continue;
      }
      if (gapStart >= 0) {
        return endGap();
      }
      if (length > left - LogFormat.HEADER) {
        if (lastBlock) {
          end = LogEnd.TORN;
          at = blockLength;
          return END;
        }
        return bad("bad record length", blockLength);
      }
      int next = at + LogFormat.HEADER + length;
      if (!checksumMatches(length)) {
        return bad("checksum mismatch", next);
      }
      offset = blockStart + at;
      payloadAt = at + LogFormat.HEADER;
      bytes = length;
      at = next;
      return type;
    }
  }

  /** Returns the block, which holds the payload of the last fragment until the next step. */
  ByteBuffer block() {
    return block;
  }

  /** Returns the offset in {@link #block} at which the payload of the fragment begins. */
  int payloadAt() {
    return payloadAt;
  }

  /**
   * Returns the offset in the file at which the fragment's header, the bad bytes or the gap begins.
   */
  long offset() {
    return offset;
  }

  /** Returns the number of bytes: of the payload, the bad bytes or the gap. */
  long bytes() {
    return bytes;
  }

  /** Returns true if loss of power can explain the bad bytes, as it can always explain a gap. */
  boolean torn() {
    return torn;
  }

  /** Returns what is wrong with the bad bytes. */
  String reason() {
    return reason;
  }

  /**
   * Returns how the file ends, after {@link #END}. Here {@link LogEnd#RECORD} says only that no
   * bytes are left.
   */
  LogEnd end() {
    return end;
  }

  /** Returns the file's length, after {@link #END}. */
  long fileLength() {
    return blockStart + blockLength;
  }

  /** Returns the offset after the last byte that is not zero, after {@link #END}. */
  long writtenEnd() {
    return writtenEnd;
  }

  private void readBlock() throws IOException {
    blockStart += blockLength;
    blockLength = 0;
    at = 0;
    blockLength = FileContents.fill(block, file);
    lastBlock = blockLength < LogFormat.BLOCK;
    int written = blockLength;
    while (written >= Long.BYTES && block.getLong(written - Long.BYTES) == 0) {
      written -= Long.BYTES; // a log that was prepared ahead has many blocks of zeros
    }
    while (written > 0 && block.get(written - 1) == 0) {
      written--;
    }
    if (written > 0) {
      writtenEnd = blockStart + written;
    }
  }

  /** Skips the rest of the block, whose header was never written. */
  private void passUnwritten() {
    if (gapStart < 0) {
      gapStart = blockStart + at;
      gapHasBytes = false;
    }
    gapHasBytes |= writtenEnd > blockStart + at;
    at = blockLength;
  }

  private int endGap() {
    offset = gapStart;
    bytes = blockStart + at - gapStart;
    torn = true;
    gapStart = -1;
    return GAP;
  }

  /** Skips the rest of the block; the damaged fragment ends at {@code fragmentEnd}. */
  private int bad(String why, int fragmentEnd) {
    offset = blockStart + at;
    bytes = (long) blockLength - at;
    torn = hasUnwrittenSector(at, fragmentEnd);
    reason = why;
    at = blockLength;
    return BAD;
  }

  /** Ends, with {@code left} bytes in the last block that are too few for a header. */
  private int finish(int left) {
    boolean trailer = LogFormat.leftInBlock(at) < LogFormat.HEADER;
    if (gapHasBytes && gapStart >= 0 || left > 0 && writtenEnd > blockStart + at) {
      end = LogEnd.TORN;
    } else if (end == LogEnd.RECORD && (gapStart >= 0 || left > 0 && !trailer)) {
      end = LogEnd.ZEROS;
    }
    return END;
  }

  private boolean checksumMatches(int length) {
    int stored = block.getInt(at);
    crc.reset();
    crc.update(block, at + LogFormat.TYPE_OFFSET, 1 + length);
    return crc.maskedValue() == stored;
  }

  /**
   * Returns true if a sector under the fragment [from, to) of the block may not have reached the
   * disk when the fragment was written. Such a sector is all zero; if the fragment begins inside
   * it, it is zero from there on.
   */
  private boolean hasUnwrittenSector(int from, int to) {
    for (int begin = from; begin < to; ) {
      int end = Math.min(begin - begin % SECTOR + SECTOR, blockLength);
      if (LogFormat.isZero(block, begin, end)) {
        return true;
      }
      begin = end;
    }
    return false;
  }
}
