package dev.kv.core.fuzz;

import dev.kv.bytes.DBComparator;
import dev.kv.core.codec.MaskedCrc32c;
import dev.kv.core.codec.Varint;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.table.block.BlockIterator;
import dev.kv.errors.DBException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Corrects the checksums of damaged files, so that the decoders after the checksum test are
 * reached.
 */
final class Checksums {
  private static final int BLOCK = 32 << 10;
  private static final int HEADER = 7;
  private static final int FOOTER = 48;
  private static final int TRAILER = 5;

  private final ByteBuffer bytes;
  private final MaskedCrc32c crc = new MaskedCrc32c();

  private Checksums(byte[] file) {
    bytes = ByteBuffer.allocateDirect(file.length).order(ByteOrder.LITTLE_ENDIAN).put(0, file);
  }

  private byte[] copy() {
    byte[] copy = new byte[bytes.capacity()];
    bytes.get(0, copy);
    return copy;
  }

  /** Returns a log or MANIFEST in which every fragment that fits into its block verifies. */
  static byte[] ofLog(byte[] file) {
    Checksums sums = new Checksums(file);
    int at = 0;
    while (at + HEADER <= file.length) {
      int left = Math.min(BLOCK - at % BLOCK, file.length - at);
      int length = left < HEADER ? 0 : sums.bytes.getShort(at + 4) & 0xffff;
      if (left < HEADER || HEADER + length > left) {
        at += BLOCK - at % BLOCK;
        continue;
      }
      sums.store(at, at + 6, 1 + length);
      at += HEADER + length;
    }
    return sums.copy();
  }

  /**
   * Returns a table in which every block that the footer, the index and the metaindex name
   * verifies.
   */
  static byte[] ofTable(byte[] file) {
    Checksums sums = new Checksums(file);
    int footer = file.length - FOOTER;
    if (footer >= 0) {
      int second = sums.block(footer, file.length, true);
      if (second > 0) {
        sums.block(second, file.length, true);
      }
    }
    return sums.copy();
  }

  /**
   * Stores the checksum of the block whose handle is at {@code at}, and of the blocks that its
   * values name.
   *
   * @return the end of the handle, or a negative number if there is no handle
   */
  private int block(int at, int limit, boolean index) {
    int middle = Varint.end64(bytes, at, limit);
    int end = middle < 0 ? middle : Varint.end64(bytes, middle, limit);
    if (end < 0) {
      return end;
    }
    long offset = Varint.get64(bytes, at, middle);
    long size = Varint.get64(bytes, middle, end);
    int most = bytes.capacity() - TRAILER;
    if (offset >= 0 && size >= 0 && offset <= most && size <= most - offset) {
      int begin = (int) offset;
      int length = (int) size;
      store(begin + length + 1, begin, length + 1);
      if (index) {
        blocksOf(begin, length);
      }
    }
    return end;
  }

  private void blocksOf(int begin, int length) {
    ByteBuffer block =
        ByteBuffer.allocateDirect(length)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put(0, bytes, begin, length);
    UserKeyComparator order = new UserKeyComparator(DBComparator.bytewise());
    try (OffHeapBuffer scratch =
        new OffHeapBuffer(new OffHeapBudget(0), BlockIterator.SCRATCH_BYTES)) {
      BlockIterator entries = new BlockIterator(order, scratch);
      entries.reset(block, length, "block", begin);
      for (entries.seekToFirst(); entries.isValid(); entries.next()) {
        int value = begin + entries.valueOffset();
        block(value, value + entries.valueLength(), false);
      }
    } catch (DBException e) {
      return; // the rest of a damaged index names nothing
    }
  }

  private void store(int at, int from, int length) {
    crc.reset();
    crc.update(bytes, from, length);
    bytes.putInt(at, crc.maskedValue());
  }
}
