package dev.kv.core.memory;

import dev.kv.bytes.Slice;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A slice that is valid only during a window. Its owner points it at bytes, which opens the window,
 * passes it to a program, and then revokes it.
 *
 * <p>Each read loads the buffer once. It checks its index against the length, and the buffer checks
 * it against its own bounds. A program must not read it in one thread while another thread moves
 * the window. Such a read throws or returns other bytes of that buffer, but never bytes outside it.
 */
public final class BufferSlice extends Slice {
  private @Nullable ByteBuffer buffer;
  private int offset;
  private int length;

  private final @Nullable Owner owner;

  /** What may end while another thread reads a slice of it. */
  public interface Owner {
    /**
     * Throws if it has ended: the memory may have other bytes by now. What was read before this
     * call is valid if it returns.
     */
    void checkOpenAfterCopy();
  }

  /** Creates a slice with its window closed. */
  public BufferSlice() {
    this(null);
  }

  /**
   * Creates a slice with its window closed.
   *
   * @param owner checks every copy, and says why a window is closed; null for none. It is not
   *     garbage-collected before the slice is
   */
  public BufferSlice(@Nullable Owner owner) {
    this.owner = owner;
  }

  /** Opens the window over {@code length} bytes of {@code buffer} from {@code offset} on. */
  public void point(ByteBuffer buffer, int offset, int length) {
    this.buffer = buffer;
    this.offset = offset;
    this.length = length;
  }

  /** Closes the window: every read throws until the next {@link #point}. */
  public void revoke() {
    buffer = null;
  }

  private ByteBuffer window() {
    ByteBuffer window = buffer;
    if (window == null) {
      checkOwner();
      throw new IllegalStateException(
          "slice used after its window: it is valid only until the call that passed it returns, or"
              + " until the next move of its iterator or the close of its value; copy it with"
              + " toByteArray() to keep it");
    }
    return window;
  }

  private void checkOwner() {
    Owner of = owner;
    if (of != null) {
      of.checkOpenAfterCopy();
    }
  }

  @Override
  public int length() {
    window();
    return length;
  }

  @Override
  public byte byteAt(int index) {
    ByteBuffer window = window();
    return window.get(offset + Objects.checkIndex(index, length));
  }

  @Override
  public int getInt(int index, ByteOrder order) {
    Objects.requireNonNull(order, "order");
    ByteBuffer window = window();
    int value = window.getInt(offset + Objects.checkFromIndexSize(index, Integer.BYTES, length));
    return order == window.order() ? value : Integer.reverseBytes(value);
  }

  @Override
  public long getLong(int index, ByteOrder order) {
    Objects.requireNonNull(order, "order");
    ByteBuffer window = window();
    long value = window.getLong(offset + Objects.checkFromIndexSize(index, Long.BYTES, length));
    return order == window.order() ? value : Long.reverseBytes(value);
  }

  @Override
  public void copyTo(int index, byte[] target, int targetOffset, int count) {
    Objects.requireNonNull(target, "target");
    ByteBuffer window = window();
    Objects.checkFromIndexSize(index, count, length);
    window.get(offset + index, target, targetOffset, count);
    checkOwner();
  }

  @Override
  public void copyTo(ByteBuffer target) {
    Objects.requireNonNull(target, "target");
    ByteBuffer window = window();
    int at = target.position();
    int count = length;
    if (count > target.remaining()) {
      throw new java.nio.BufferOverflowException();
    }
    target.put(at, window, offset, count);
    checkOwner();
    target.position(at + count);
  }
}
