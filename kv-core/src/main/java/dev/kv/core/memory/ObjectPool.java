package dev.kv.core.memory;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A pool of objects that are expensive to make. Each stripe of threads keeps a few; objects that
 * find no free slot are closed. Thread-safe: a slot is emptied and filled by one atomic step.
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
   * @param perStripe how many objects each stripe of threads keeps, from 1 to 16
   * @param factory makes an object when the stripe of the calling thread has none
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
   * Returns an object from the pool, or a new one. The caller owns it, and returns it with {@link
   * #release} or closes it.
   *
   * @return an object that nobody else uses
   */
  public T acquire() {
    int first = Stripes.cell(Stripes.current());
    for (int slot = first; slot < first + perStripe; slot++) {
      if (slots.getPlain(slot) != null) {
        T pooled = slots.getAndSet(slot, null);
        if (pooled != null) {
          return pooled;
        }
      }
    }
    return factory.get();
  }

  /**
   * Takes ownership of an object that nobody uses any more: keeps it, or closes it if the stripe of
   * the calling thread is full or the pool is closed.
   *
   * @param object the object, in a state in which the next user can take it
   */
  public void release(T object) {
    release(object, Stripes.current());
  }

  /**
   * Does what {@link #release(Object)} does, for the stripe that the object was acquired in.
   *
   * @param object the object, in a state in which the next user can take it
   * @param stripe a stripe, see {@link Stripes#current}
   */
  public void release(T object, int stripe) {
    int first = Stripes.cell(stripe);
    for (int slot = first; slot < first + perStripe; slot++) {
      if (!closed && slots.getPlain(slot) == null && slots.compareAndSet(slot, null, object)) {
        if (closed && slots.compareAndSet(slot, object, null)) {
          closer.accept(object);
        }
        return;
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
