package dev.kv.core.memory;

import dev.kv.errors.OffHeapExhaustedException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Direct memory that a budget counts until the close, and that is never used again. So a reader
 * that still has the buffer after the close reads what was in it. The garbage collector frees it
 * after the last reader.
 */
public final class CountedMemory implements AutoCloseable {
  private final OffHeapBudget budget;
  private final MemoryKind kind;
  private final ByteBuffer bytes;

  private CountedMemory(OffHeapBudget budget, MemoryKind kind, ByteBuffer bytes) {
    this.budget = budget;
    this.kind = kind;
    this.bytes = bytes;
  }

  /** Returns {@code length} bytes, all 0, or null if the budget or the JVM has none left. */
  public static @Nullable CountedMemory tryAllocate(
      OffHeapBudget budget, MemoryKind kind, int length) {
    if (!budget.tryReserve(kind, length)) {
      return null;
    }
    try {
      return new CountedMemory(budget, kind, DirectMemory.allocate(length));
    } catch (OffHeapExhaustedException e) {
      budget.release(kind, length);
      return null;
    }
  }

  /** Returns the memory, little-endian. */
  public ByteBuffer bytes() {
    return bytes;
  }

  /** Ends the count. Called once. */
  @Override
  public void close() {
    budget.release(kind, bytes.capacity());
  }
}
