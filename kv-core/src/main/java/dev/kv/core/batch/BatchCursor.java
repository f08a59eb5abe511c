package dev.kv.core.batch;

import dev.kv.core.codec.Varint;
import dev.kv.core.key.ValueKind;
import java.nio.ByteBuffer;

/**
 * A cursor over the operations of an encoded batch (see {@link EncodedBatch}). Reusable; used by
 * one thread. Every length is checked against the end of the batch before it is used.
 */
public final class BatchCursor {
  private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

  private ByteBuffer buffer = NOTHING;
  private int at;
  private int end;
  private ValueKind kind = ValueKind.DELETION;
  private int keyOffset;
  private int keyLength;
  private int valueOffset;
  private int valueLength;
  private int fieldLength;

  /** Creates a cursor without a batch. */
  public BatchCursor() {}

  /** Positions the cursor before the first operation in {@code length} bytes of {@code buffer}. */
  public void start(ByteBuffer buffer, int offset, int length) {
    this.buffer = buffer;
    at = offset;
    end = offset + length;
  }

  /** Returns the offset of the next operation, or the end of the batch. */
  public int position() {
    return at;
  }

  /** Positions the cursor before the operation at an offset that {@link #position} returned. */
  public void moveTo(int position) {
    at = position;
  }

  /**
   * Moves to the next operation.
   *
   * @return false after the last one
   * @throws MalformedBatchException if the bytes are not an operation
   */
  public boolean next() {
    if (at == end) {
      return false;
    }
    byte code = buffer.get(at);
    if (code == ValueKind.VALUE.code()) {
      kind = ValueKind.VALUE;
    } else if (code == ValueKind.DELETION.code()) {
      kind = ValueKind.DELETION;
    } else {
      throw new MalformedBatchException("unknown operation " + (code & 0xff));
    }
    keyOffset = field(at + 1);
    keyLength = fieldLength;
    int next = keyOffset + keyLength;
    valueOffset = next;
    valueLength = 0;
    if (kind == ValueKind.VALUE) {
      valueOffset = field(next);
      valueLength = fieldLength;
      next = valueOffset + valueLength;
    }
    at = next;
    return true;
  }

  /**
   * Moves over a record of the log; returns the number of its operations, or -1 if it is no batch.
   */
  public int countOperations(ByteBuffer record, int length) {
    if (length < EncodedBatch.HEADER) {
      return -1;
    }
    int count = 0;
    try {
      start(record, EncodedBatch.HEADER, length - EncodedBatch.HEADER);
      while (next()) {
        count++;
      }
    } catch (MalformedBatchException e) {
      return -1;
    }
    return count == record.getInt(Long.BYTES) ? count : -1;
  }

  /** Decodes the length at {@code offset}; returns the offset at which its bytes begin. */
  private int field(int offset) {
    long decoded = Varint.get32(buffer, offset, end);
    int size = Varint.value32(decoded);
    int from = Varint.next32(decoded);
    if (decoded == Varint.MALFORMED || size < 0 || size > end - from) {
      throw new MalformedBatchException("length outside the batch");
    }
    fieldLength = size;
    return from;
  }

  /** Returns the buffer that holds the batch, borrowed. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Returns the kind of the operation: a put or a delete. */
  public ValueKind kind() {
    return kind;
  }

  /** Returns the offset at which the operation's key begins. */
  public int keyOffset() {
    return keyOffset;
  }

  /** Returns the key's length. */
  public int keyLength() {
    return keyLength;
  }

  /** Returns the offset at which the operation's value begins. */
  public int valueOffset() {
    return valueOffset;
  }

  /** Returns the value's length; 0 for a delete. */
  public int valueLength() {
    return valueLength;
  }
}
