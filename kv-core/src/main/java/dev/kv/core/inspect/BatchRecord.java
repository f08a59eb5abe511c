package dev.kv.core.inspect;

import dev.kv.core.batch.BatchCursor;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.ValueKind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * An encoded batch, with a cursor over its operations. Valid until the next record is read. For one
 * thread.
 */
public final class BatchRecord {
  private final ByteBuffer bytes;
  private final int length;
  private final BatchCursor operations = new BatchCursor();

  BatchRecord(ByteBuffer bytes, int length) {
    this.bytes = bytes;
    this.length = length;
    if (hasHeader()) {
      operations.start(bytes, EncodedBatch.HEADER, length - EncodedBatch.HEADER);
    }
  }

  /** Returns the batch that consists of a copy of all of {@code content}. */
  public static BatchRecord of(byte[] content) {
    ByteBuffer copy =
        ByteBuffer.allocateDirect(content.length).order(ByteOrder.LITTLE_ENDIAN).put(0, content);
    return new BatchRecord(copy, content.length);
  }

  /** Returns the number of bytes. */
  public int length() {
    return length;
  }

  /** Returns true if the record is long enough for sequence number and count. */
  public boolean hasHeader() {
    return length >= EncodedBatch.HEADER;
  }

  /** Returns the sequence number of the first operation; requires a header. */
  public long sequence() {
    return bytes.getLong(0);
  }

  /** Returns the number of operations that the header promises; requires a header. */
  public long count() {
    return bytes.getInt(Long.BYTES) & 0xffffffffL;
  }

  /**
   * Moves to the next operation.
   *
   * @return false after the last one
   * @throws IllegalArgumentException if the bytes are not an operation
   */
  public boolean next() {
    return operations.next();
  }

  /** Returns true if the current operation is a put, false if it is a delete. */
  public boolean isPut() {
    return operations.kind() == ValueKind.VALUE;
  }

  /** Returns a copy of the key of the current operation. */
  public byte[] key() {
    return InternalKey.copy(bytes, operations.keyOffset(), operations.keyLength());
  }

  /** Returns a copy of the value of the current operation; empty for a delete. */
  public byte[] value() {
    return InternalKey.copy(bytes, operations.valueOffset(), operations.valueLength());
  }
}
