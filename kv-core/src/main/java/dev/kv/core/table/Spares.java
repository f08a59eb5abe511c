package dev.kv.core.table;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A few spare objects that are dear to make: a fixed number of slots, each taken and filled by one
 * atomic step. Thread-safe.
 */
final class Spares<T> implements AutoCloseable {
  private static final int SLOTS = 32;

  private final AtomicReferenceArray<@Nullable T> slots = new AtomicReferenceArray<>(SLOTS);
  private final Consumer<T> closer;
  private volatile boolean closed;

  /** Creates an empty set of spares that end with {@code closer}. */
  Spares(Consumer<T> closer) {
    this.closer = closer;
  }

  /** Returns a spare object, or null if there is none. */
  @Nullable T take() {
    int first = firstSlot();
    for (int i = 0; i < SLOTS; i++) {
      int slot = (first + i) % SLOTS;
      if (slots.getPlain(slot) != null) {
        T spare = slots.getAndSet(slot, null);
        if (spare != null) {
          return spare;
        }
      }
    }
    return null;
  }

  /** Keeps an object and returns true, or returns false: then its owner closes it. */
  boolean give(T spare) {
    if (closed) {
      return false;
    }
    int first = firstSlot();
    for (int i = 0; i < SLOTS; i++) {
      int slot = (first + i) % SLOTS;
      if (slots.getPlain(slot) == null && slots.compareAndSet(slot, null, spare)) {
        return !closed || !slots.compareAndSet(slot, spare, null);
      }
    }
    return false;
  }

  /** Closes what is kept, and keeps nothing from now on. */
  @Override
  public void close() {
    closed = true;
    for (int slot = 0; slot < SLOTS; slot++) {
      T spare = slots.getAndSet(slot, null);
      if (spare != null) {
        closer.accept(spare);
      }
    }
  }

  private static int firstSlot() {
    return (int) (Thread.currentThread().getId() & (SLOTS - 1));
  }
}
