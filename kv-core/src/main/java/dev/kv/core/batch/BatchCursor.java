package dev.kv.core.batch;

import dev.kv.core.codec.Varint;
import dev.kv.core.key.ValueKind;
import java.nio.ByteBuffer;

/**
 * A walk over the operations of an encoded batch (see {@link EncodedBatch}). Reusable; belongs to
 * one thread. Every length is checked against the batch's end before it is used.
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

  /** Creates a cursor over nothing. */
  public BatchCursor() {}

  /** Begins before the first of the operations that {@code length} bytes of {@code buffer} hold. */
  public void start(ByteBuffer buffer, int offset, int length) {
    this.buffer = buffer;
    at = offset;
    end = offset + length;
  }

  /**
   * Moves to the next operation.
   *
   * @return false behind the last one
   * @throws MalformedBatchException if the bytes are no operation
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
      throw new MalformedBatchException("unknown operation " + (code & 0xff), at);
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

  /** Decodes a length that stands at {@code offset}, and returns where its bytes begin. */
  private int field(int offset) {
    long decoded = Varint.get32(buffer, offset, end);
    int size = Varint.value32(decoded);
    int from = Varint.next32(decoded);
    if (decoded == Varint.MALFORMED || size < 0 || size > end - from) {
      throw new MalformedBatchException("length outside the batch", offset);
    }
    fieldLength = size;
    return from;
  }

  /** Returns whether the operation is a put or a delete. */
  public ValueKind kind() {
    return kind;
  }

  /** Returns where the operation's key begins. */
  public int keyOffset() {
    return keyOffset;
  }

  /** Returns the key's length. */
  public int keyLength() {
    return keyLength;
  }

  /** Returns where the operation's value begins. */
  public int valueOffset() {
    return valueOffset;
  }

  /** Returns the value's length; 0 for a delete. */
  public int valueLength() {
    return valueLength;
  }
}
