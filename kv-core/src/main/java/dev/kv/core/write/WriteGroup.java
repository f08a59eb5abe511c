package dev.kv.core.write;

import dev.kv.core.batch.BatchCursor;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.codec.Varint;
import dev.kv.core.iterator.TombstoneSkipIndex;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.memtable.BatchInserter;
import dev.kv.core.memtable.MemTable;
import dev.kv.file.PendingFault;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The operations of one write group, encoded as one batch in a direct buffer. The batch is the
 * record of the log and the source from which the memtable copies. Owned by the leader.
 *
 * <p>An operation is added completely or not at all: if an exception interrupts it, the group is
 * unchanged.
 */
final class WriteGroup implements AutoCloseable {
  /**
   * The maximum number of bytes that a single operation takes in a batch besides its key and value.
   */
  static final int OPERATION_OVERHEAD = 1 + 2 * Varint.MAX_32;

  /** The maximum number of bytes of operations, without the header. */
  static final long MAX_BYTES = Integer.MAX_VALUE - 1024;

  /** The length of a record without operations. */
  static final int MARKER_LENGTH = EncodedBatch.HEADER;

  private static final int HEADER = EncodedBatch.HEADER;
  private static final int COUNT_OFFSET = Long.BYTES;

  /** A buffer that has grown larger than this for one write is shrunk afterwards. */
  private static final int KEPT_CAPACITY = 4 << 20;

  private static final int FIRST_CAPACITY = 8 << 10;

  /**
   * A group of at least this many bytes takes more memory than its operations need: as much as an
   * open after a kill needs, besides the memtable and its largest entry, to write a table.
   */
  private static final int LARGE = 1 << 20;

  private static final int TABLE_BUFFERS = 512 << 10;

  private final OffHeapBudget budget;
  private final BatchCursor cursor = new BatchCursor();
  private final PendingFault pendingFault = new PendingFault();
  private final OffHeapBuffer storage;
  private ByteBuffer buffer;
  private int end;
  private int count;

  // The last operation that was added alone: its offsets, so that a group of one needs no
  // decoding.
  private ValueKind kind = ValueKind.VALUE;
  private int keyOffset;
  private int keyLength;
  private int valueOffset;
  private int valueLength;
  private boolean single;

  /** The size of the write that is added next, for which the memtable has room. */
  private long announced;

  WriteGroup(OffHeapBudget budget) {
    this.budget = budget;
    storage = new OffHeapBuffer(budget, 0); // grows at the first write
    buffer = storage.buffer();
  }

  /** Empties the group and makes room for {@code bytes} bytes of operations. */
  void begin(long bytes) {
    end = HEADER;
    count = 0;
    single = false;
    announced = bytes;
    if (bytes + HEADER > buffer.capacity() || buffer.capacity() > KEPT_CAPACITY) {
      resize(bytes);
    }
  }

  private void resize(long bytes) {
    if (buffer.capacity() > KEPT_CAPACITY && bytes + HEADER <= FIRST_CAPACITY) {
      trim();
    }
    grow(bufferBytes(bytes) - HEADER);
  }

  /** Returns the size of the buffer of a group that begins with {@code bytes} bytes. */
  static long bufferBytes(long bytes) {
    long room = bytes < LARGE ? bytes : Math.min(bytes + TABLE_BUFFERS, MAX_BYTES);
    return Math.max(room + HEADER, FIRST_CAPACITY);
  }

  /** Releases a buffer that is larger than at first. Allocates nothing: memory may be short. */
  void trim() {
    if (buffer.capacity() > FIRST_CAPACITY) {
      storage.clear();
      buffer = storage.buffer();
    }
  }

  /** Makes room for {@code bytes} more bytes of operations. */
  void reserve(long bytes) {
    announced = bytes;
    grow(bytes);
  }

  private void grow(long bytes) {
    if (end + bytes > buffer.capacity()) {
      buffer = storage.ensureCapacity((int) (end + bytes));
    }
  }

  void put(byte[] key, byte[] value) {
    int at = beginOperation(ValueKind.VALUE, key.length);
    buffer.put(at, key);
    at = beginValue(at, key.length, value.length);
    buffer.put(at, value);
    endOperation(at, value.length);
  }

  void put(ByteBuffer key, ByteBuffer value) {
    int keySize = key.remaining();
    int valueSize = value.remaining();
    requireAnnounced(keySize, valueSize);
    int at = beginOperation(ValueKind.VALUE, keySize);
    pendingFault.copyKeyOrValue(key, buffer, at);
    at = beginValue(at, keySize, valueSize);
    pendingFault.copyKeyOrValue(value, buffer, at);
    endOperation(at, valueSize);
  }

  /** Adds a put, or a deletion if there is no value. */
  void putOrDelete(byte[] key, byte @Nullable [] value) {
    if (value != null) {
      put(key, value);
      return;
    }
    int at = beginOperation(ValueKind.DELETION, key.length);
    buffer.put(at, key);
    endOperation(at + key.length, 0);
  }

  /** Adds a put, or a deletion if there is no value. */
  void putOrDelete(ByteBuffer key, @Nullable ByteBuffer value) {
    if (value != null) {
      put(key, value);
      return;
    }
    int keySize = key.remaining();
    requireAnnounced(keySize, 0);
    int at = beginOperation(ValueKind.DELETION, keySize);
    pendingFault.copyKeyOrValue(key, buffer, at);
    endOperation(at + keySize, 0);
  }

  /** Throws if another thread has enlarged a buffer: the memtable has no room for it. */
  private void requireAnnounced(int keySize, int valueSize) {
    if ((long) keySize + valueSize + OPERATION_OVERHEAD > announced) {
      throw new IllegalStateException(
          "key or value was changed by another thread during the write, which was not done");
    }
  }

  /** Writes kind and key length, and returns the offset of the key. */
  private int beginOperation(ValueKind operation, int keySize) {
    single = false; // the copy of the key or the value may throw: what is known is not the first
    buffer.put(end, operation.code());
    int at = Varint.put32(buffer, end + 1, keySize);
    kind = operation;
    keyOffset = at;
    keyLength = keySize;
    return at;
  }

  /** Writes the value's length after the key, and returns the offset of the value. */
  private int beginValue(int keyAt, int keySize, int valueSize) {
    return Varint.put32(buffer, keyAt + keySize, valueSize);
  }

  private void endOperation(int valueAt, int valueSize) {
    valueOffset = valueAt;
    valueLength = valueSize;
    end = valueAt + valueSize;
    single = ++count == 1;
  }

  /**
   * Adds the operations of {@code batch}, which has {@code length} bytes and {@code operations}
   * operations.
   */
  void batch(EncodedBatch batch, int length, int operations) {
    int size = length - HEADER;
    buffer.put(end, batch.bytes(), HEADER, size);
    cursor.start(buffer, end, size);
    int found = 0;
    while (cursor.next()) {
      found++;
    }
    if (found != operations) {
      throw new IllegalStateException("the batch was changed by another thread during the write");
    }
    end += size;
    count += operations;
    single = false;
  }

  int count() {
    return count;
  }

  /** Returns a cursor before the first operation, valid until the group changes. */
  BatchCursor operations() {
    cursor.start(buffer, HEADER, end - HEADER);
    return cursor;
  }

  /**
   * Reports the puts to the ranges of tombstones, before the group is visible.
   *
   * @param firstSequence the sequence number of the first operation
   */
  void reportTo(TombstoneSkipIndex skips, long firstSequence) {
    skips.beginWatches(firstSequence);
    BatchCursor operations = operations();
    while (operations.next()) {
      if (operations.kind() == ValueKind.VALUE) {
        skips.reportPut(operations.buffer(), operations.keyOffset(), operations.keyLength());
      }
    }
  }

  /** Returns the number of bytes of the operations. */
  int bytes() {
    return end - HEADER;
  }

  /**
   * Returns the group as one record whose first operation has the number {@code sequence}. The
   * buffer is borrowed.
   */
  ByteBuffer record(long sequence) {
    if (count > 0) {
      buffer.putLong(0, sequence);
      buffer.putInt(COUNT_OFFSET, count);
    }
    return buffer;
  }

  /**
   * Returns a record of {@link #MARKER_LENGTH} bytes without operations, which tells recovery that
   * the next operation has the number {@code sequence}. The buffer is borrowed, and the group must
   * be empty.
   */
  ByteBuffer marker(long sequence) {
    buffer.putLong(0, sequence);
    buffer.putInt(COUNT_OFFSET, 0);
    return buffer;
  }

  /** Returns the length of the record; 0 if there is no operation. */
  int recordLength() {
    return count > 0 ? end : 0;
  }

  /**
   * Inserts the operations into {@code memtable}; the first one gets the number {@code sequence}.
   */
  void insertInto(MemTable memtable, long sequence) {
    if (single) {
      memtable.add(sequence, kind, buffer, keyOffset, keyLength, valueOffset, valueLength);
      return;
    }
    BatchInserter.insert(operations(), count, sequence, memtable, budget);
  }

  @Override
  public void close() {
    storage.close();
  }
}
