package dev.kv.core.table.inspect;

import dev.kv.CompressionType;
import dev.kv.DBIOException;
import dev.kv.Escape;
import dev.kv.core.codec.MaskedCrc32c;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.table.cache.TableFile;
import dev.kv.core.table.format.BlockHandle;
import dev.kv.core.table.format.BlockWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.BitSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Finds stored blocks, laid out as {@link BlockWriter} says, by their checksums alone. What the
 * disk cannot read is passed over. For one thread.
 *
 * <pre>
 * Where a block is known to begin, its end is the first byte that can be a type and behind which
 * stands the checksum of all up to it.
 *
 * Where nothing ends so, the next beginning is not known either. Let r(k) be the CRC's register
 * before byte k, fed from any place on, and Z the step that a zero byte has it take, which is
 * linear and can be undone. Fed from q on, where it begins as I, the register is r(k) ^
 * Z^(k-q)(r(q) ^ I). So a block begins at q and ends before k, where its checksum asks for the
 * register c, if
 *
 *   Z^-q(r(q) ^ I) = Z^-k(r(k) ^ c)
 *
 * The left sides of all q so far stand in a hash table, where the right side of each k is looked
 * up: one pass over the bytes tries every beginning with every end.
 * </pre>
 */
public final class BlockScanner {
  private static final Logger LOG = EngineLogger.of(BlockScanner.class);

  /**
   * How many bytes are searched at once for a block whose beginning is not known; usually it is
   * near.
   */
  private static final int NEAR = 64 << 10;

  /** The same where nothing is near; no block of more than half of it is found. */
  private static final int FAR = 1 << 20;

  /** The bytes that are skipped if the disk cannot read one of them. */
  private static final int PIECE = 4 << 10;

  /**
   * How often the file's bytes may be searched, without finding it, for the end of a block whose
   * beginning is known.
   */
  private static final int PASSES = 16;

  private static final int CRC = Integer.BYTES;

  /** That of CRC32C, its lowest power in the highest bit. */
  private static final int POLYNOMIAL = 0x82f63b78;

  /** What undoing the step of a zero byte adds for each highest byte of the register. */
  private static final int[] UNDONE = undone();

  private final TableFile file;
  private final Predicate<BlockHandle> isBlock;
  private final MaskedCrc32c crc = new MaskedCrc32c();
  private final ByteBuffer bytes;
  private final BitSet unreadable = new BitSet();
  private long left;

  /**
   * Creates a search; it borrows {@code file}.
   *
   * @param isBlock decides about bytes that have the right checksum, but no other sign that a block
   *     begins there
   */
  BlockScanner(TableFile file, Predicate<BlockHandle> isBlock) {
    this.file = file;
    this.isBlock = isBlock;
    int length = (int) Math.min(FAR, file.size());
    bytes = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
    left = PASSES * file.size();
  }

  /**
   * Returns the block that begins at {@code offset}, else one that begins after it, or null if
   * there is none.
   */
  @Nullable BlockHandle next(long offset) {
    BlockHandle found = at(offset);
    if (found == null) {
      found = inWindow(offset, NEAR);
    }
    for (long from = offset; found == null && from < file.size(); from += FAR / 2) {
      found = inWindow(from, FAR);
    }
    return found;
  }

  private @Nullable BlockHandle at(long offset) {
    long from = offset;
    crc.reset();
    while (left > 0 && from + BlockWriter.TRAILER <= file.size()) {
      int length = load(from, FAR);
      for (int i = 0; i < length - CRC; i++) {
        byte type = bytes.get(i);
        crc.update(type);
        if (isType(type) && crc.maskedValue() == bytes.getInt(i + 1)) {
          return new BlockHandle(offset, from + i - offset);
        }
      }
      from += length - CRC;
    }
    left -= from - offset;
    return null;
  }

  private int load(long from, int most) {
    int length = (int) Math.min(most, file.size() - from);
    if (unreadable.isEmpty()) {
      try {
        file.read(from, bytes, length);
        return length;
      } catch (DBIOException e) {
        LOG.warn("{}: looked at in pieces", Escape.text(file.name()), e);
      }
    }
    for (int at = 0; at < length; ) {
      int piece = (int) ((from + at) / PIECE);
      int end = (int) Math.min(length, (piece + 1L) * PIECE - from);
      loadPiece(piece, from, at, end);
      at = end;
    }
    return length;
  }

  /** Loads a piece, or zeros if the disk cannot read it. A read is tried once. */
  private void loadPiece(int piece, long from, int at, int end) {
    ByteBuffer target = bytes.slice(at, end - at);
    if (!unreadable.get(piece)) {
      try {
        file.read(from + at, target, end - at);
        return;
      } catch (DBIOException e) {
        unreadable.set(piece);
      }
    }
    target.put(new byte[end - at]);
  }

  private @Nullable BlockHandle inWindow(long from, int most) {
    int length = load(from, most);
    Beginnings beginnings = new Beginnings(length);
    int[] back = new int[Integer.SIZE];
    for (int bit = 0; bit < back.length; bit++) {
      back[bit] = 1 << bit;
    }
    crc.reset();
    for (int i = 0; i < length - CRC; i++) {
      // The complements of registers and the one of I cancel out.
      beginnings.put(image(back, crc.value()), i);
      byte type = bytes.get(i);
      crc.update(type);
      for (int bit = 0; bit < back.length; bit++) {
        back[bit] = undo(back[bit]);
      }
      if (isType(type)) {
        int wanted = MaskedCrc32c.unmask(bytes.getInt(i + 1));
        int beginning = beginnings.find(image(back, crc.value() ^ wanted));
        if (beginning >= 0) {
          BlockHandle found = new BlockHandle(from + beginning, i - beginning);
          if (isBlock.test(found)) {
            return found;
          }
        }
      }
    }
    return null;
  }

  private static boolean isType(byte type) {
    return type == CompressionType.NONE.code()
        || type == CompressionType.SNAPPY.code()
        || type == CompressionType.ZSTD.code();
  }

  /**
   * Returns the image of a register under the linear map that has the images {@code back} of the
   * single bits.
   */
  private static int image(int[] back, int register) {
    int image = 0;
    for (int rest = register; rest != 0; rest &= rest - 1) {
      image ^= back[Integer.numberOfTrailingZeros(rest)];
    }
    return image;
  }

  /** Undoes the step of a zero byte. */
  private static int undo(int register) {
    return register << Byte.SIZE ^ UNDONE[register >>> 3 * Byte.SIZE];
  }

  private static int[] undone() {
    int[] undone = new int[1 << Byte.SIZE];
    for (int i = 0; i < undone.length; i++) {
      int register = i << 3 * Byte.SIZE;
      for (int bit = 0; bit < Byte.SIZE; bit++) {
        register = register < 0 ? (register ^ POLYNOMIAL) << 1 | 1 : register << 1;
      }
      undone[i] = register;
    }
    return undone;
  }

  /** The hash table: where a block of that image would begin. */
  private static final class Beginnings {
    /** Each 0, or an image and the place it belongs to plus 1. */
    private final long[] slots;

    Beginnings(int places) {
      slots = new long[Integer.highestOneBit(Math.max(places - 1, 1)) << 2];
    }

    void put(int image, int place) {
      int slot = slot(image);
      if (slots[slot] == 0) {
        slots[slot] = (long) image << Integer.SIZE | place + 1;
      }
    }

    /** Returns the place, or -1. */
    int find(int image) {
      return (int) slots[slot(image)] - 1;
    }

    private int slot(int image) {
      int slot = image & slots.length - 1;
      while (slots[slot] != 0 && (int) (slots[slot] >>> Integer.SIZE) != image) {
        slot = slot + 1 & slots.length - 1;
      }
      return slot;
    }
  }
}
