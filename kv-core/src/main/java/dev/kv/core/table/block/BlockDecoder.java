package dev.kv.core.table.block;

import dev.kv.core.codec.Varint;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.errors.CorruptionException;
import java.nio.ByteBuffer;

/**
 * Decodes the entries of a block; {@link BlockBuilder} describes the format. Every count, offset
 * and length is checked before it is used, because the block may contain any bytes.
 */
abstract class BlockDecoder extends InternalIterator {
  private final int minKeyLength;
  private String file = "";
  private long blockOffset;

  /** The block, or an empty buffer. */
  ByteBuffer block = NO_BYTES;

  /** The offset in {@link #block} at which the block and its entries begin. */
  int base;

  /** Where the entries end and the restart points begin. */
  int entriesEnd;

  int restartCount;

  /** The head decoded last: how much of the key before is kept, and how many bytes follow. */
  int shared;

  int unshared;

  BlockDecoder(int minKeyLength) {
    this.minKeyLength = minKeyLength;
  }

  /**
   * Positions the cursor before the first entry of a block, which begins at {@code begin} of a
   * buffer, and is at {@code offset} of {@code file}.
   */
  final void setOn(ByteBuffer block, int begin, int length, String file, long offset) {
    valid = false;
    this.block = block;
    base = begin;
    this.file = file;
    blockOffset = offset;
    valueBuffer = block;
    int count = length < Integer.BYTES ? -1 : block.getInt(begin + length - Integer.BYTES);
    if (count < 0 || count > length / Integer.BYTES - 1) {
      entriesEnd = begin;
      restartCount = 0;
      throw corrupt("a block of " + length + " bytes with " + count + " restart points");
    }
    entriesEnd = begin + length - Integer.BYTES * (count + 1);
    restartCount = count;
    if (count == 0 && entriesEnd > begin) {
      entriesEnd = begin;
      throw corrupt("a block with entries and no restart point");
    }
  }

  /**
   * Decodes and checks the lengths of the entry at {@code at}, which is before the end of the
   * entries, and returns the offset of its unshared key bytes.
   */
  final int head(int at, int lastKeyLength) {
    int own;
    int lengths = block.getInt(at);
    if ((lengths & 0x808080) == 0) {
      shared = lengths & 0x7f;
      unshared = lengths >>> 8 & 0x7f;
      valueLength = lengths >>> 16 & 0x7f;
      own = at + 3;
    } else {
      own = longHead(at);
    }
    int room = entriesEnd - own - unshared;
    if (shared > lastKeyLength
        || room < 0
        || valueLength > room
        || shared + unshared < minKeyLength) {
      throw corruptEntry(at);
    }
    return own;
  }

  private int longHead(int at) {
    long first = Varint.get32(block, at, entriesEnd);
    long second = first < 0 ? first : Varint.get32(block, Varint.next32(first), entriesEnd);
    long third = second < 0 ? second : Varint.get32(block, Varint.next32(second), entriesEnd);
    if (third < 0) {
      throw corruptEntry(at);
    }
    shared = Varint.value32(first);
    unshared = Varint.value32(second);
    valueLength = Varint.value32(third);
    if ((shared | unshared | valueLength) < 0) {
      throw corruptEntry(at);
    }
    return Varint.next32(third);
  }

  /** Returns the offset of the entry of restart point {@code index}. */
  final int restartPoint(int index) {
    int offset = block.getInt(entriesEnd + index * Integer.BYTES);
    if (offset < 0 || offset >= entriesEnd - base) {
      throw corrupt("restart point " + index + " at " + offset + " of " + (entriesEnd - base));
    }
    return base + offset;
  }

  /** Returns the last restart point before {@code end}. */
  final int lastRestartBefore(int end) {
    int left = 0;
    int right = restartCount - 1;
    while (left < right) {
      int middle = (left + right + 1) >>> 1;
      if (restartPoint(middle) < end) {
        left = middle;
      } else {
        right = middle - 1;
      }
    }
    return left;
  }

  @Override
  public final CorruptionException corruption(String what, String elsewhere) {
    return new CorruptionException(what, file, blockOffset);
  }

  private CorruptionException corruptEntry(int at) {
    return corrupt("bad entry at byte " + (at - base));
  }

  /** Leaves the cursor invalid and returns the exception to throw. */
  final CorruptionException corrupt(String what) {
    valid = false;
    return new CorruptionException(what + " in a block", file, blockOffset);
  }
}
