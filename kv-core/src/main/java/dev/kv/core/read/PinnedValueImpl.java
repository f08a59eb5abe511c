package dev.kv.core.read;

import dev.kv.bytes.PinnedValue;
import dev.kv.bytes.Slice;
import dev.kv.core.memory.BufferSlice;
import dev.kv.core.memory.FieldHandles;
import dev.kv.core.memory.Pinned;
import dev.kv.core.memory.ValueRef;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A value that a program holds, and the pin of the block with its bytes. The pin is of the block
 * alone: the read state and the table are released when the lookup ends. So a value can outlive its
 * table, and the database.
 */
final class PinnedValueImpl implements PinnedValue {
  private static final VarHandle PIN = FieldHandles.of(MethodHandles.lookup(), "pin", Pinned.class);

  private final ByteBuffer block;
  private final int offset;
  private final int length;
  private final BufferSlice slice = new BufferSlice();

  /** Null after the close. */
  private volatile @Nullable Pinned pin;

  /** Takes the value and its pin from {@code found}, which has a pin. */
  PinnedValueImpl(ValueRef found) {
    block = found.buffer;
    offset = found.offset;
    length = found.length;
    slice.point(block, offset, length);
    pin = found.takePin();
  }

  private void requireOpen() {
    if (pin == null) {
      throw new IllegalStateException("the value is closed");
    }
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public Slice slice() {
    requireOpen();
    return slice;
  }

  @Override
  public ByteBuffer buffer() {
    requireOpen();
    return block.slice(offset, length).asReadOnlyBuffer();
  }

  @Override
  public void close() {
    Pinned held = (Pinned) PIN.getAndSet(this, null);
    if (held != null) {
      slice.revoke();
      held.close();
    }
  }

  /** Returns the length, for log messages. */
  @Override
  public String toString() {
    return "PinnedValue[" + length + (pin == null ? " bytes, closed]" : " bytes]");
  }
}
