package dev.kv.core.memory;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A pool of objects that are expensive to make. Each stripe of threads has a few slots, and uses
 * those of other stripes when its own are empty or full. Thread-safe: a slot is emptied and filled
 * by one atomic step.
 *
 * @param <T> the type of the objects
 */
public final class ObjectPool<T> implements AutoCloseable {
  /** The most objects that a stripe can keep. The rest of its cache lines separates stripes. */
  private static final int MAX_PER_STRIPE = Stripes.SPACING / 2;

  private final AtomicReferenceArray<@Nullable T> slots =
      new AtomicReferenceArray<>(Stripes.arrayLength());
  private final int perStripe;
  private final Supplier<? extends T> factory;
  private final Consumer<? super T> closer;
  private volatile boolean closed;

  /**
   * Creates an empty pool.
   *
   * @param perStripe how many slots each stripe of threads has, from 1 to 16
   * @param factory makes an object when the pool is empty
   * @param closer closes an object that the pool does not keep
   */
  public ObjectPool(int perStripe, Supplier<? extends T> factory, Consumer<? super T> closer) {
    if (perStripe < 1 || perStripe > MAX_PER_STRIPE) {
      throw new IllegalArgumentException("a pool of " + perStripe + " objects per stripe");
    }
    this.perStripe = perStripe;
    this.factory = factory;
    this.closer = closer;
  }

  /**
   * Returns an object from the pool, or a new one, as {@link #acquire(int)} does for the stripe of
   * the calling thread.
   *
   * @return an object that no other thread uses
   */
  public T acquire() {
    return acquire(Stripes.current());
  }

  /**
   * Returns an object from the pool, or a new one. The caller owns it, and returns it with {@link
   * #release} or closes it.
   *
   * @param stripe the stripe of the calling thread, whose objects are tried first
   * @return an object that no other thread uses
   */
  public T acquire(int stripe) {
    for (int i = 0; i < Stripes.COUNT; i++) {
      int first = Stripes.cell(stripe + i & Stripes.COUNT - 1);
      for (int slot = first; slot < first + perStripe; slot++) {
        if (slots.getPlain(slot) != null) {
          T pooled = slots.getAndSet(slot, null);
          if (pooled != null) {
            return pooled;
          }
        }
      }
    }
    return factory.get();
  }

  /**
   * Releases an object as {@link #release(Object, int)} does for the stripe of the calling thread.
   *
   * @param object the object, in the state in which the next user expects it
   */
  public void release(T object) {
    release(object, Stripes.current());
  }

  /**
   * Takes ownership of an object that is no longer in use: keeps it, or closes it if the pool is
   * full or closed.
   *
   * @param object the object, in the state in which the next user expects it
   * @param stripe the stripe of the calling thread, whose slots are tried first
   */
  public void release(T object, int stripe) {
    for (int i = 0; i < Stripes.COUNT; i++) {
      int first = Stripes.cell(stripe + i & Stripes.COUNT - 1);
      for (int slot = first; slot < first + perStripe; slot++) {
        if (slots.getPlain(slot) == null && !closed && slots.compareAndSet(slot, null, object)) {
          if (closed && slots.compareAndSet(slot, object, null)) {
            closer.accept(object);
          }
          return;
        }
      }
    }
    closer.accept(object);
  }

  /** Closes the objects in the pool. Objects in use are closed when they are released. */
  @Override
  public void close() {
    closed = true;
    for (int slot = 0; slot < slots.length(); slot++) {
      T pooled = slots.getAndSet(slot, null);
      if (pooled != null) {
        closer.accept(pooled);
      }
    }
  }
}
