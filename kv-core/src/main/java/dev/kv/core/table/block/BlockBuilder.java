package dev.kv.core.table.block;

import dev.kv.core.codec.Varint;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Builds one block of sorted entries. Reusable after {@link #reset}; closing frees its buffers.
 *
 * <pre>
 * block   := entry*, restart*, count
 * entry   := shared varint32, unshared varint32, value length varint32, key bytes, value bytes
 *            shared:    how many bytes the key has in common with the beginning of the key before
 *            key bytes: the other ones of the key, unshared in number
 * restart := fixed32, the offset of an entry with shared = 0: the first one, and then one every
 *            restart interval
 * count   := fixed32, how many restarts: at least one, so that an empty block has 8 bytes
 * </pre>
 */
public final class BlockBuilder implements AutoCloseable {
  private static final int MAX_HEAD = 3 * Varint.MAX_32;

  /** A larger buffer may not be possible. */
  private static final int MAX_BYTES = Integer.MAX_VALUE - Long.BYTES;

  private static final int FIRST_RESTARTS = 64;
  private static final int FIRST_BYTES = 8 << 10;
  private static final int FIRST_KEY_BYTES = 256;

  private final int restartInterval;
  private final OffHeapBuffer bytes;
  private final OffHeapBuffer lastKey;
  private int[] restarts = new int[FIRST_RESTARTS];
  private int restartCount;
  private int sinceRestart;
  private int size;
  private int lastKeyLength;

  /**
   * Creates a builder of blocks with a restart point every {@code restartInterval} entries, without
   * memory yet.
   */
  public BlockBuilder(int restartInterval, OffHeapBudget budget) {
    if (restartInterval < 1) {
      throw new IllegalArgumentException("restart interval " + restartInterval);
    }
    this.restartInterval = restartInterval;
    this.bytes = new OffHeapBuffer(budget, 0);
    this.lastKey = new OffHeapBuffer(budget, 0);
    reset();
  }

  /** Allocates the memory that most blocks need. */
  public void reserve() {
    bytes.ensureCapacity(FIRST_BYTES);
    lastKey.ensureCapacity(FIRST_KEY_BYTES);
  }

  /** Returns the size of the memory. */
  public long capacity() {
    return (long) bytes.buffer().capacity() + lastKey.buffer().capacity();
  }

  /** Removes all entries, but keeps the last key. */
  public void reset() {
    restarts[0] = 0;
    restartCount = 1;
    sinceRestart = 0;
    size = 0;
  }

  /** Returns the size that the finished block would have now. */
  public long sizeEstimate() {
    return (long) size + (restartCount + 1L) * Integer.BYTES;
  }

  /**
   * Returns the buffer that contains the last key at offset 0; the key is kept after a {@link
   * #reset}.
   */
  public ByteBuffer lastKey() {
    return lastKey.buffer();
  }

  /** Returns the length of the last key. */
  public int lastKeyLength() {
    return lastKeyLength;
  }

  /** Returns a copy of the first key. Requires that the block is not empty. */
  public byte[] firstKey() {
    ByteBuffer block = bytes.buffer();
    long length = Varint.get32(block, 1, size); // after shared, which is 0
    long valueLength = Varint.get32(block, Varint.next32(length), size);
    byte[] key = new byte[Varint.value32(length)];
    block.get(Varint.next32(valueLength), key);
    return key;
  }

  /** Returns true if the block does not become too large by an entry. */
  public boolean hasRoomFor(int keyLength, int valueLength) {
    return sizeEstimate() + Integer.BYTES + MAX_HEAD + keyLength + valueLength <= MAX_BYTES;
  }

  /** Adds an entry. Its key must be after the last key. */
  public void add(
      ByteBuffer key, int keyOffset, int keyLength, ByteBuffer value, int from, int valueLength) {
    int shared = 0;
    if (sinceRestart == restartInterval) {
      addRestart();
    } else if (sinceRestart > 0) {
      int most = Math.min(keyLength, lastKeyLength);
      shared = LongCopies.mismatch(key, keyOffset, lastKey.buffer(), 0, most);
    }
    int unshared = keyLength - shared;
    ByteBuffer target = room((long) MAX_HEAD + unshared + valueLength);
    int at = head(target, shared, unshared, valueLength);
    LongCopies.copyExactly(key, keyOffset + shared, target, at, unshared);
    at += unshared;
    target.put(at, value, from, valueLength);
    size = at + valueLength;
    sinceRestart++;
    rememberKey(key, keyOffset, keyLength, shared);
  }

  /** Sets the last key to that of an entry which is stored in a block of its own. */
  public void setLastKey(ByteBuffer key, int offset, int length) {
    rememberKey(key, offset, length, 0);
  }

  private int head(ByteBuffer target, int shared, int unshared, int valueLength) {
    if ((shared | unshared | valueLength) < 0x80) {
      target.putInt(size, shared | unshared << 8 | valueLength << 16);
      return size + 3;
    }
    int at = Varint.put32(target, size, shared);
    at = Varint.put32(target, at, unshared);
    return Varint.put32(target, at, valueLength);
  }

  private void rememberKey(ByteBuffer key, int offset, int length, int shared) {
    ByteBuffer kept = lastKey.ensureCapacity(length);
    LongCopies.copyExactly(key, offset + shared, kept, shared, length - shared);
    lastKeyLength = length;
  }

  private void addRestart() {
    if (restartCount == restarts.length) {
      restarts = Arrays.copyOf(restarts, 2 * restartCount);
    }
    restarts[restartCount++] = size;
    sinceRestart = 0;
  }

  /** Makes room for {@code more} bytes after the entries, including the restart points. */
  private ByteBuffer room(long more) {
    long needed = sizeEstimate() + more;
    if (needed > MAX_BYTES) {
      throw new IllegalArgumentException("a block of " + needed + " bytes: the limit is 2 GiB");
    }
    return bytes.ensureCapacity((int) needed);
  }

  /**
   * Finishes the block and returns its length; {@link #buffer} contains it at offset 0 until the
   * reset.
   */
  public int finish() {
    ByteBuffer target = room(0);
    int at = size;
    for (int i = 0; i < restartCount; i++) {
      target.putInt(at, restarts[i]);
      at += Integer.BYTES;
    }
    target.putInt(at, restartCount);
    return at + Integer.BYTES;
  }

  /** Returns the buffer in which the block is built. */
  public ByteBuffer buffer() {
    return bytes.buffer();
  }

  @Override
  public void close() {
    bytes.close();
    lastKey.close();
  }
}
