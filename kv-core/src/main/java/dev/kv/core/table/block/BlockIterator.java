package dev.kv.core.table.block;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.memory.OffHeapBuffer;
import java.nio.ByteBuffer;

/**
 * A cursor over the entries of one block; {@link BlockBuilder} describes the format. Reusable:
 * {@link #reset} attaches it to another block. Every count, offset and length is checked before it
 * is used.
 *
 * <pre>
 * Seek in the bytewise order of internal keys: after the binary search over the restart points, the
 * following entries are compared with the target, and their keys are not assembled. Let m be the
 * number of leading bytes that the previous entry has in common with the target. Take an entry that
 * shares s bytes with the previous entry.
 *  1. If s &lt;= m, it begins with the target's first s bytes. Only its own bytes are compared,
 *     with the target's from s on. The key of the entry found is assembled from the target and
 *     these.
 *  2. If s &gt; m, it compares to the target as the previous entry does, provided that both user
 *     keys are longer than m.
 * If neither rule decides (one user key is a prefix of the other), the slow scan does.
 * </pre>
 *
 * <p>A block may be followed by an {@link EntryIndex}. Then a seek searches that index. It scans
 * the block only if the entry found is before the target.
 */
public class BlockIterator extends BlockCursor {
  /**
   * The initial capacity of a cursor's scratch buffer: enough for a restart interval of usual keys.
   */
  public static final int SCRATCH_BYTES = 1 << 10;

  /** The most bytes that an entry index takes, a multiple of 8. */
  public static final int ENTRY_INDEX_BYTES = EntryIndex.MOST_ROOM;

  private final KeyComparator comparator;
  private final boolean bytewise;
  private final EntryIndex entryIndex = new EntryIndex(NO_BYTES);

  /**
   * Creates a cursor that is on no block.
   *
   * @param scratch memory for keys, which the caller keeps open while the cursor is used, and
   *     closes
   */
  public BlockIterator(KeyComparator comparator, OffHeapBuffer scratch) {
    super(comparator instanceof InternalKeyComparator ? InternalKey.TRAILER : 0, scratch);
    this.comparator = comparator;
    bytewise =
        comparator instanceof InternalKeyComparator internal
            && internal.userComparator().isBytewise();
  }

  /**
   * Positions the cursor before the first entry of a block.
   *
   * @param file the name of the table, for exceptions
   * @param offset the offset of the block in the table, for exceptions
   */
  public final void reset(ByteBuffer block, int length, String file, long offset) {
    reset(block, 0, length, file, offset);
  }

  /**
   * Positions the cursor before the first entry of a block that begins at {@code begin} of a
   * buffer.
   *
   * @param file the name of the table, for exceptions
   * @param offset the offset of the block in the table, for exceptions
   */
  public final void reset(ByteBuffer block, int begin, int length, String file, long offset) {
    noEntry();
    entryIndex.clear();
    setOn(block, begin, length, file, offset);
  }

  /**
   * Makes seeks use the entry index that {@link #writeEntryIndex(int)} wrote after the block of
   * {@code length} bytes.
   */
  public final void useEntryIndex(int length) {
    entryIndex.read(block, EntryIndex.begin(length));
  }

  /** Makes seeks use the entry index at {@code at} of {@code memory}. */
  public final void useEntryIndex(ByteBuffer memory, int at) {
    entryIndex.read(memory, at);
  }

  /** Returns the offset of the entry index that follows a block of {@code length} bytes. */
  public static int entryIndexAfter(int length) {
    return EntryIndex.begin(length);
  }

  /**
   * Returns how many bytes to reserve after a block of {@code length} bytes for an entry index. If
   * an index needs more, the entries are so short that those of a restart interval lie in few cache
   * lines.
   */
  public static int roomForEntryIndex(int length) {
    return EntryIndex.room(length);
  }

  /**
   * Writes an entry index after the block of {@code length} bytes, into the rest of its buffer. The
   * cursor has no entry afterwards.
   *
   * @return false if there is no index: the order is not bytewise, or there is no room
   */
  public final boolean writeEntryIndex(int length) {
    return writeEntryIndex(
        block, EntryIndex.begin(length), Math.min(block.capacity(), length + EntryIndex.MOST_ROOM));
  }

  /**
   * Writes the entry index of the block to a part of {@code memory}. The cursor has no entry
   * afterwards.
   *
   * @return false if there is no index: the order is not bytewise, or there is no room
   */
  public final boolean writeEntryIndex(ByteBuffer memory, int begin, int end) {
    boolean written = bytewise && entriesEnd > base && EntryIndex.write(this, memory, begin, end);
    noEntry();
    return written;
  }

  /**
   * Detaches the cursor from its block: no move reads or writes memory before the next {@link
   * #reset}.
   */
  protected final void clear() {
    detach();
    entryIndex.clear();
  }

  @Override
  public void seekToFirst() {
    firstInBlock();
  }

  @Override
  public void seekToLast() {
    lastInBlock();
  }

  @Override
  public void seek(ByteBuffer key, int offset, int length) {
    seekInBlock(key, offset, length);
  }

  @Override
  public void next() {
    nextInBlock();
  }

  @Override
  public void prev() {
    prevInBlock();
  }

  /** Does nothing: a block cursor pins nothing. */
  @Override
  public void close() {}

  /**
   * Moves to the block's first entry at or after {@code key}, which must not be in this cursor's
   * scratch buffer.
   */
  protected final void seekInBlock(ByteBuffer key, int offset, int length) {
    noEntry();
    if (entriesEnd == base || entryIndex.isPresent() && seekByEntryIndex(key, offset, length)) {
      return;
    }
    int left = 0;
    int right = restartCount - 1;
    while (left < right) {
      int middle = (left + right + 1) >>> 1;
      int at = head(restartPoint(middle), 0);
      if (comparator.compare(block, at, unshared, key, offset, length) < 0) {
        left = middle;
      } else {
        right = middle - 1;
      }
    }
    if (bytewise) {
      scanBytewise(restartPoint(left), key, offset, length);
    } else {
      scan(restartPoint(left), key, offset, length);
    }
  }

  /** Seeks by the entry index; returns false if the index does not decide. */
  private boolean seekByEntryIndex(ByteBuffer key, int offset, int length) {
    int found = entryIndex.find(key, offset, length - InternalKey.TRAILER);
    if (found < 0) {
      if (~found < entryIndex.count()) {
        showIndexed(~found);
      }
      return true;
    }
    showIndexed(found);
    valid = comparator.compare(keyBuffer, keyOffset, keyLength, key, offset, length) >= 0;
    return valid;
  }

  private void showIndexed(int slot) {
    int at = base + entryIndex.place(slot);
    if (at >= entriesEnd) {
      throw corrupt(
          "the entry index has offset "
              + (at - base)
              + ", which is not before the end of the entries, "
              + (entriesEnd - base));
    }
    int own = head(at, entryIndex.knownBytes());
    ByteBuffer target = block;
    if (shared > 0) {
      target = scratchOf(shared + unshared);
      entryIndex.copyKey(slot, target, shared);
    }
    show(at, own, target);
  }

  private void scan(int from, ByteBuffer key, int offset, int length) {
    startAt(from);
    while (step()) {
      if (comparator.compare(keyBuffer, keyOffset, keyLength, key, offset, length) >= 0) {
        return;
      }
    }
  }

  /**
   * Does the scan that the class comment describes, in about half the time of {@link #scan} with 16
   * keys per restart point.
   */
  private void scanBytewise(int from, ByteBuffer key, int offset, int length) {
    ByteBuffer bytes = block;
    int userLength = length - InternalKey.TRAILER;
    int matched = 0;
    int unmatched = 0;
    int lastLength = 0;
    int at = from;
    while (at < entriesEnd) {
      int own = head(at, lastLength);
      int entryLength = shared + unshared;
      int entryUserLength = entryLength - InternalKey.TRAILER;
      int common = Math.min(userLength, entryUserLength);
      int order;
      if (shared <= matched) {
        int most = Math.min(entryLength, length) - shared;
        int same = LongCopies.mismatch(bytes, own, key, offset + shared, most);
        matched = shared + same;
        unmatched = same < unshared ? bytes.get(own + same) & 0xff : 0;
        if (matched < common) {
          order = unmatched - (key.get(offset + matched) & 0xff);
        } else if (entryUserLength != userLength) {
          order = entryUserLength - userLength;
        } else {
          long tag = InternalKey.tag(key, offset, length);
          order = Long.compareUnsigned(tag, tagOf(own, entryUserLength, tag));
        }
        if (order >= 0) {
          showFound(at, own, key, offset);
          return;
        }
      } else if (matched < common) {
        order = unmatched - (key.get(offset + matched) & 0xff);
      } else {
        order = entryUserLength < userLength ? -1 : 0;
      }
      if (order >= 0) {
        scan(from, key, offset, length);
        return;
      }
      lastLength = entryLength;
      at = own + unshared + valueLength;
    }
  }

  /**
   * Returns the tag of the entry just decoded, whose first {@code shared} bytes equal the target's.
   */
  private long tagOf(int own, int userLength, long targetTag) {
    int known = shared - userLength;
    if (known <= 0) {
      return block.getLong(own - known);
    }
    if (known == Long.BYTES) {
      return targetTag;
    }
    int bits = known * Byte.SIZE;
    return targetTag & ((1L << bits) - 1) | block.getLong(own) << bits;
  }

  /**
   * Makes the entry just decoded current; its first {@code shared} bytes equal those of {@code
   * key}.
   */
  private void showFound(int at, int own, ByteBuffer key, int offset) {
    ByteBuffer target = block;
    if (shared > 0) {
      target = scratchOf(shared + unshared);
      LongCopies.copyExactly(key, offset, target, 0, shared);
    }
    show(at, own, target);
  }
}
