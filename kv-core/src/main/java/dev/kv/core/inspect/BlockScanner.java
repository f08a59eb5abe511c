package dev.kv.core.inspect;

import dev.kv.core.codec.BlockCompression;
import dev.kv.core.codec.MaskedCrc32c;
import dev.kv.core.inspect.TableContents.Handle;
import dev.kv.core.table.cache.TableFile;
import dev.kv.core.table.format.BlockWriter;
import dev.kv.errors.DBIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.BitSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds stored blocks, laid out as {@link BlockWriter} says, by their checksums alone. For one
 * thread.
 *
 * <pre>
 * If the beginning of a block is known, its end is the first byte that can be a compression type
 * and that is followed by the checksum of all bytes up to it.
 *
 * If there is no such end, the next beginning is unknown too. Let r(k) be the register of the CRC
 * before byte k when the CRC begins at some fixed byte, I the initial register, and Z the change of
 * the register by a zero byte, which is linear and can be undone. If the CRC begins at q instead,
 * its register before byte k is r(k) ^ Z^(k-q)(r(q) ^ I). Let c be the register that the checksum
 * stored at k stands for. Then a block begins at q and ends before k if
 *
 *   Z^-q(r(q) ^ I) = Z^-k(r(k) ^ c)
 *
 * A hash table holds the left sides of all q so far, and the right side of each k is looked up in
 * it. So one pass over the bytes tries every beginning with every end.
 * </pre>
 */
final class BlockScanner {
  /**
   * The number of bytes that are searched first for a block whose beginning is not known, since it
   * is usually near.
   */
  private static final int NEAR = 64 << 10;

  /**
   * The number of bytes that are searched at once if no block is near. A block larger than half of
   * this is not found.
   */
  private static final int FAR = 1 << 20;

  /** The bytes that are skipped if the disk cannot read one of them. */
  private static final int PIECE = 4 << 10;

  /**
   * The limit of the searches for the end of a block whose beginning is known, if they do not find
   * it: so many times the size of the file.
   */
  private static final int PASSES = 16;

  private static final int CRC = Integer.BYTES;

  /** The polynomial of CRC32C, with the lowest power in the highest bit. */
  private static final int POLYNOMIAL = 0x82f63b78;

  /** For each highest byte of the register, the bits that {@link #undo} adds. */
  private static final int[] UNDONE = undone();

  private final TableFile file;
  private final Predicate<Handle> isBlock;
  private final Consumer<DBIOException> readError;
  private final MaskedCrc32c crc = new MaskedCrc32c();
  private final ByteBuffer bytes;
  private final BitSet unreadable = new BitSet();
  private long left;

  /**
   * Creates a search. The caller keeps the ownership of {@code file}.
   *
   * @param isBlock decides about bytes that have the right checksum, but no other sign that a block
   *     begins there
   * @param readError receives the first read error; if it returns, what cannot be read is skipped
   */
  BlockScanner(TableFile file, Predicate<Handle> isBlock, Consumer<DBIOException> readError) {
    this.file = file;
    this.isBlock = isBlock;
    this.readError = readError;
    int length = (int) Math.min(FAR, file.size());
    bytes = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
    left = PASSES * file.size();
  }

  /**
   * Returns the block that begins at {@code offset}, else one that begins after it, or null if
   * there is none.
   */
  @Nullable Handle next(long offset) {
    Handle found = at(offset);
    if (found == null) {
      found = inWindow(offset, NEAR);
    }
    for (long from = offset; found == null && from < file.size(); from += FAR / 2) {
      found = inWindow(from, FAR);
    }
    return found;
  }

  private @Nullable Handle at(long offset) {
    long from = offset;
    crc.reset();
    while (left > 0 && from + BlockWriter.TRAILER <= file.size()) {
      int length = load(from, FAR);
      for (int i = 0; i < length - CRC; i++) {
        byte type = bytes.get(i);
        crc.update(type);
        if (BlockCompression.isCode(type) && crc.maskedValue() == bytes.getInt(i + 1)) {
          return new Handle(offset, from + i - offset);
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
        readError.accept(e);
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

  private @Nullable Handle inWindow(long from, int most) {
    int length = load(from, most);
    Beginnings beginnings = new Beginnings(length);
    int[] back = new int[Integer.SIZE];
    for (int bit = 0; bit < back.length; bit++) {
      back[bit] = 1 << bit;
    }
    crc.reset();
    for (int i = 0; i < length - CRC; i++) {
      // I is all ones, so the value, which is the register's complement, is r(q) ^ I.
      beginnings.put(image(back, crc.value()), i);
      byte type = bytes.get(i);
      crc.update(type);
      for (int bit = 0; bit < back.length; bit++) {
        back[bit] = undo(back[bit]);
      }
      if (BlockCompression.isCode(type)) {
        int wanted = MaskedCrc32c.unmask(bytes.getInt(i + 1));
        int beginning = beginnings.find(image(back, crc.value() ^ wanted));
        if (beginning >= 0) {
          Handle found = new Handle(from + beginning, i - beginning);
          if (isBlock.test(found)) {
            return found;
          }
        }
      }
    }
    return null;
  }

  /**
   * Returns the image of a register under a linear map.
   *
   * @param back the images of the single bits
   */
  private static int image(int[] back, int register) {
    int image = 0;
    for (int rest = register; rest != 0; rest &= rest - 1) {
      image ^= back[Integer.numberOfTrailingZeros(rest)];
    }
    return image;
  }

  /** Returns the register before a zero byte that led to {@code register}. */
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

  /** A hash table from images to the places at which a block could begin. */
  private static final class Beginnings {
    /** Each slot is 0 if it is empty, or holds an image and its place plus 1. */
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

    /** Returns the place of an image, or -1. */
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
