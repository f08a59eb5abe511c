package dev.kv.core.table.format;

import dev.kv.FilterPolicy;
import dev.kv.bytes.Escape;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.table.block.BlockBuilder;
import dev.kv.core.table.filter.FilterKeys;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A data block that is being built, with what its table needs to know of its entries. Reusable
 * after {@link #reset}, which keeps the last key: the first key of the next block must be after it.
 * Not thread-safe, but it may be filled by one thread and then passed to another.
 */
public final class DataBlock {
  private final BlockBuilder block;
  private final KeyComparator comparator;
  private final @Nullable InternalKeyComparator internal;
  private final int keyTrailer;
  private final int blockSize;
  private final @Nullable FilterKeys keys;
  private boolean hasLastKey;
  private long entries;
  private long userKeys;
  private long tombstones;
  private long leastSequence = InternalKey.MAX_SEQUENCE;
  private long greatestSequence;

  /** Creates a block of a table, which is built in {@code block}. */
  public DataBlock(TableFormat format, KeyComparator comparator, BlockBuilder block) {
    this.block = block;
    this.comparator = comparator;
    internal = comparator instanceof InternalKeyComparator order ? order : null;
    keyTrailer = internal == null ? 0 : InternalKey.TRAILER;
    blockSize = format.blockSize();
    FilterPolicy policy = format.filterPolicy();
    keys = policy == null ? null : new FilterKeys(policy);
    block.reset();
  }

  /**
   * Adds an entry.
   *
   * @throws IllegalArgumentException if its key is not after the last one; nothing was added
   */
  public void add(
      ByteBuffer key, int keyOffset, int keyLength, ByteBuffer value, int from, int valueLength) {
    boolean isNewUserKey = requireAscending(key, keyOffset, keyLength);
    block.add(key, keyOffset, keyLength, value, from, valueLength);
    count(key, keyOffset, keyLength, isNewUserKey);
  }

  /** Adds the key of the only entry of a block that is stored as it is, without the entry. */
  void addStored(ByteBuffer key, int keyOffset, int keyLength) {
    boolean isNewUserKey = requireAscending(key, keyOffset, keyLength);
    block.setLastKey(key, keyOffset, keyLength);
    count(key, keyOffset, keyLength, isNewUserKey);
  }

  /** Throws if a key is not after the last one; returns true if its user key is another. */
  private boolean requireAscending(ByteBuffer key, int keyOffset, int keyLength) {
    if (!hasLastKey) {
      return true;
    }
    ByteBuffer last = block.lastKey();
    int lastLength = block.lastKeyLength();
    InternalKeyComparator order = internal;
    int users =
        order == null
            ? comparator.compare(last, 0, lastLength, key, keyOffset, keyLength)
            : order.compareUserKeys(last, 0, lastLength, key, keyOffset, keyLength);
    boolean isOlder =
        users == 0
            && order != null
            && Long.compareUnsigned(
                    InternalKey.tag(last, 0, lastLength),
                    InternalKey.tag(key, keyOffset, keyLength))
                > 0;
    if (users >= 0 && !isOlder) {
      throw new KeyOrderException(
          "the key '"
              + Escape.shown(InternalKey.copy(key, keyOffset, keyLength - keyTrailer))
              + "' is not after the key before it, '"
              + Escape.shown(InternalKey.copy(last, 0, lastLength - keyTrailer))
              + "'");
    }
    return users < 0;
  }

  private void count(ByteBuffer key, int keyOffset, int keyLength, boolean isNewUserKey) {
    hasLastKey = true;
    entries++;
    userKeys += isNewUserKey ? 1 : 0;
    if (keys != null) {
      keys.add(key, keyOffset, keyLength - keyTrailer);
    }
    if (keyTrailer > 0) {
      long tag = InternalKey.tag(key, keyOffset, keyLength);
      long sequence = InternalKey.sequence(tag);
      leastSequence = Math.min(leastSequence, sequence);
      greatestSequence = Math.max(greatestSequence, sequence);
      if (InternalKey.kindCode(tag) == ValueKind.DELETION.code()) {
        tombstones++;
      }
    }
  }

  /** Sets the key that the first key must be after. */
  public void follow(ByteBuffer key, int length) {
    block.setLastKey(key, 0, length);
    hasLastKey = true;
  }

  /** Returns true if there is no entry in the block. */
  public boolean isEmpty() {
    return entries == 0;
  }

  /**
   * Returns true if the block may get an entry: it is empty, or does not become larger than a block
   * can be.
   */
  public boolean hasRoomFor(int keyLength, int valueLength) {
    return isEmpty() || block.hasRoomFor(keyLength, valueLength);
  }

  /** Returns true if the block has the size of a finished one. */
  public boolean isFull() {
    return block.sizeEstimate() >= blockSize;
  }

  /** Returns the size of the block so far, in bytes. */
  public long size() {
    return block.sizeEstimate();
  }

  /** Returns a copy of the first key. Requires that an entry was added. */
  public byte[] firstKey() {
    return block.firstKey();
  }

  /** Copies the last key to a buffer, and returns its length. Requires that there is one. */
  public int copyLastKey(OffHeapBuffer target) {
    int length = block.lastKeyLength();
    target.ensureCapacity(length).put(0, block.lastKey(), 0, length);
    return length;
  }

  /** Returns a copy of the last key, also after a {@link #reset}. Requires that there is one. */
  byte[] lastKey() {
    return InternalKey.copy(block.lastKey(), 0, block.lastKeyLength());
  }

  /** Returns the bytes, which are finished and are valid up to the reset. */
  BlockBuilder block() {
    return block;
  }

  /** Returns the keys for the filter; null if the table has none. */
  @Nullable FilterKeys keys() {
    return keys;
  }

  /** Returns the number of entries. */
  long entries() {
    return entries;
  }

  /** Returns how many entries have another user key than the one before. */
  long userKeys() {
    return userKeys;
  }

  /** Returns the number of tombstones. */
  long tombstones() {
    return tombstones;
  }

  /** Returns the least sequence number. */
  long leastSequence() {
    return leastSequence;
  }

  /** Returns the greatest sequence number. */
  long greatestSequence() {
    return greatestSequence;
  }

  /** Removes all entries. */
  public void reset() {
    block.reset();
    entries = 0;
    userKeys = 0;
    tombstones = 0;
    leastSequence = InternalKey.MAX_SEQUENCE;
    greatestSequence = 0;
    if (keys != null) {
      keys.clear();
    }
  }
}
