package dev.kv.core.table.block;

import dev.kv.core.key.InternalKey;
import dev.kv.core.memory.OffHeapBuffer;
import java.nio.ByteBuffer;

/**
 * Moves over the entries of a block, forward and backward, and shows the current one.
 *
 * <p>A key that shares no bytes with the previous key is read in place. Any other key is assembled
 * in the scratch buffer. No step allocates or calls a virtual method.
 *
 * <p>Backward, entries can only be decoded forward, from a restart point. So the entries from there
 * to the current one are decoded once and recorded, with their whole keys one after another in the
 * scratch buffer, and each step back goes through the record. The size of a record is limited: of a
 * longer interval, only the last part is kept.
 */
abstract class BlockCursor extends BlockDecoder {
  private final OffHeapBuffer scratch;
  private final EntryPositions recorded = new EntryPositions();

  /** The offsets of the entry shown and of the next one. */
  private int entry;

  private int next;

  private boolean repeatsUserKey;

  BlockCursor(int minKeyLength, OffHeapBuffer scratch) {
    super(minKeyLength);
    this.scratch = scratch;
  }

  /** Returns the offset of the entry in its block. */
  final int entry() {
    return entry - base;
  }

  /** Returns true if the current entry is the only one of the block. */
  protected final boolean isOnlyEntry() {
    return entry == base && next == entriesEnd && restartCount == 1;
  }

  /**
   * Moves to the next entry of the block. Returns false at its last entry, and stays there.
   * Requires a cursor over internal keys in bytewise order that has an entry and moves forward.
   */
  public final boolean nextInSameBlock() {
    int at = next;
    if (at >= entriesEnd) {
      return false;
    }
    int lastLength = keyLength;
    int own = head(at, lastLength);
    int lastUser = lastLength - InternalKey.TRAILER;
    repeatsUserKey =
        shared + unshared == lastLength && (shared >= lastUser || hasLastUserKey(own, lastUser));
    show(at, own, shared == 0 ? block : sharedBytes());
    return true;
  }

  /** Compares the rest of the user keys: writers may share fewer bytes than two keys have. */
  private boolean hasLastUserKey(int own, int userLength) {
    int rest = userLength - shared;
    return LongCopies.mismatch(keyBuffer, keyOffset + shared, block, own, rest) == rest;
  }

  /**
   * Returns true if the last call of {@link #nextInSameBlock} moved to another entry of the same
   * user key.
   */
  public final boolean repeatsUserKey() {
    return repeatsUserKey;
  }

  /** Moves to the block's first entry, if any. */
  protected final void firstInBlock() {
    startAt(base);
    step();
  }

  /** Moves to the block's last entry, if any. */
  protected final void lastInBlock() {
    valid = false;
    if (entriesEnd > base) {
      recordRun(restartPoint(restartCount - 1), entriesEnd);
    }
  }

  /** Moves to the next entry of the block. */
  protected final void nextInBlock() {
    recorded.clear();
    step();
  }

  /** Moves to the previous entry of the block. */
  protected final void prevInBlock() {
    if (recorded.back()) {
      showRecorded();
      return;
    }
    valid = false;
    int end = entry;
    if (end > base) {
      recordRun(restartPoint(lastRestartBefore(end)), end);
    }
  }

  /** Returns the number of leading bytes that all user keys share; moves the cursor. */
  final int userBytesInCommon() {
    firstInBlock();
    int first = keyOffset;
    int firstLength = keyLength;
    lastInBlock();
    int most = Math.min(firstLength, keyLength) - InternalKey.TRAILER;
    return LongCopies.mismatch(block, first, keyBuffer, keyOffset, most);
  }

  /** Makes no entry the current one. */
  final void noEntry() {
    valid = false;
    recorded.clear();
  }

  /** Detaches the cursor from its block. */
  final void detach() {
    noEntry();
    block = NO_BYTES;
    base = 0;
    entriesEnd = 0;
    restartCount = 0;
    entry = 0;
    next = 0;
  }

  /**
   * Shows the entry just decoded.
   *
   * @param at where it begins
   * @param own where its own part of the key begins
   * @param target begins with the shared part of the key, and gets the rest; unused without one
   */
  final void show(int at, int own, ByteBuffer target) {
    if (shared == 0) {
      keyBuffer = block;
      keyOffset = own;
    } else {
      LongCopies.copy(block, own, target, shared, unshared);
      keyBuffer = target;
      keyOffset = 0;
    }
    keyLength = shared + unshared;
    entry = at;
    valueOffset = own + unshared;
    next = valueOffset + valueLength;
    valid = true;
  }

  /** Makes the entry at {@code offset} the next one. */
  final void startAt(int offset) {
    valid = false;
    recorded.clear();
    next = offset;
    keyLength = 0;
  }

  /** Decodes the entry at {@link #next}, and makes it current; returns false if there is none. */
  final boolean step() {
    int at = next;
    if (at >= entriesEnd) {
      valid = false;
      return false;
    }
    int own = head(at, keyLength);
    show(at, own, shared == 0 ? block : sharedBytes());
    return true;
  }

  /**
   * Returns the scratch buffer, which begins with the bytes that the entry just decoded shares with
   * the current one: usually they are there already.
   */
  @SuppressWarnings("ReferenceEquality") // which buffer the key lies in, not what is in it
  private ByteBuffer sharedBytes() {
    ByteBuffer target = scratchOf(shared + unshared);
    if (keyBuffer != target || keyOffset != 0) {
      LongCopies.copy(keyBuffer, keyOffset, target, 0, shared);
    }
    return target;
  }

  /** Returns the scratch buffer with room for a key of {@code length} bytes; keeps its contents. */
  final ByteBuffer scratchOf(int length) {
    ByteBuffer buffer = scratch.buffer();
    return length <= buffer.capacity() - LongCopies.SLACK ? buffer : growScratch(length);
  }

  private ByteBuffer growScratch(int length) {
    valid = false;
    return scratch.ensureCapacity(Math.addExact(length, LongCopies.SLACK));
  }

  /**
   * Decodes the entries from {@code from} to {@code end}, records the last of them, and makes the
   * very last one current.
   */
  private void recordRun(int from, int end) {
    recorded.clear();
    int at = from;
    int lastKey = 0;
    int lastLength = 0;
    while (at < end) {
      int own = head(at, lastLength);
      int length = shared + unshared;
      int key = recorded.add(at, length, own + unshared);
      ByteBuffer keys = scratchOf(key + length);
      LongCopies.copy(keys, lastKey, keys, key, shared);
      LongCopies.copy(block, own, keys, key + shared, unshared);
      lastKey = key;
      lastLength = length;
      at = own + unshared + valueLength;
    }
    if (at != end || recorded.isEmpty()) {
      recorded.clear();
      throw corrupt("the entries from " + from + " on do not end at " + end);
    }
    recorded.end(end);
    showRecorded();
  }

  private void showRecorded() {
    keyBuffer = scratch.buffer();
    keyOffset = recorded.key();
    keyLength = recorded.keyLength();
    entry = recorded.entry();
    next = recorded.next();
    valueOffset = recorded.value();
    valueLength = next - valueOffset;
    valid = true;
  }
}
