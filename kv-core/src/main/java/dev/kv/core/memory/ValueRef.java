package dev.kv.core.memory;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The place where a point read found its value: the bytes, and the pin that keeps them valid.
 * Reusable; owned by one thread, which releases it before it is set again.
 */
public final class ValueRef {
  private static final ByteBuffer NOTHING = DirectMemory.allocate(0);

  /** The buffer with the value in it. */
  public ByteBuffer buffer = NOTHING;

  /** The offset at which the value begins. */
  public int offset;

  /** The length of the value in bytes. */
  public int length;

  /** The pin that keeps the bytes valid; null if the reader's own pin does. */
  public @Nullable Pinned pin;

  /** True if the buffer belongs to the owner of this object, and stays here after the release. */
  private boolean kept;

  /** Creates an empty reference. */
  public ValueRef() {}

  /** Points at a value, and takes ownership of {@code pin}. */
  public void set(ByteBuffer buffer, int offset, int length, @Nullable Pinned pin) {
    this.buffer = buffer;
    this.offset = offset;
    this.length = length;
    this.pin = pin;
    kept = false;
  }

  /**
   * Points at a value in memory of the owner of this object, which stays valid. If it is the same
   * memory as last time, no reference is stored, neither now nor at the release.
   */
  @SuppressWarnings("ReferenceEquality")
  public void setKept(ByteBuffer memory, int offset, int length) {
    if (buffer != memory) {
      buffer = memory;
    }
    this.offset = offset;
    this.length = length;
    kept = true;
  }

  /** Returns a copy of the value on the heap. */
  public byte[] copy() {
    byte[] bytes = new byte[length];
    buffer.get(offset, bytes);
    return bytes;
  }

  /** Passes the ownership of the pin, which there must be, to the caller. */
  public Pinned takePin() {
    Pinned taken = Objects.requireNonNull(pin);
    pin = null;
    return taken;
  }

  /** Closes the pin, if there is one, and clears the reference. */
  @SuppressWarnings("ReferenceEquality")
  public void release() {
    Pinned held = pin;
    if (!kept && buffer != NOTHING) {
      buffer = NOTHING;
    }
    offset = 0;
    length = 0;
    if (held != null) {
      pin = null;
      held.close();
    }
  }
}
