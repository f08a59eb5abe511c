package dev.kv.core.memory;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A pool of objects that are expensive to make. Each stripe of threads has a few slots, and uses
 * those of other stripes when its own are empty or full. Thread-safe.
 *
 * <p>An object stays in its slot while it is used, and only the state of the slot changes. So a use
 * stores no reference: the collector marks a card for each reference that is stored into an old
 * object, and the marks of all slots lie in one cache line.
 *
 * <p>The state of a used slot has the last bits of the id of the thread that acquired the object. A
 * thread that finds a slot of its stripe used by another thread leaves the stripe, see {@link
 * Stripes}. For that, a thread that takes an object from another stripe moves it to a slot of its
 * own: two threads that used objects of other stripes would never meet.
 *
 * <pre>
 * state := EMPTY | FREE | CLOSED | thread (30 bits), USED (2 bits)
 * FREE  -> USED    the thread that made the change uses the object
 * USED  -> FREE    by the user
 * EMPTY -> USED    the thread that made the change stores a new object
 * USED  -> EMPTY   by the user, after it has removed or moved its object
 * any   -> CLOSED  the thread that made the change closes an object that was free; a user finds
 *                  that its change fails, and closes its object
 * </pre>
 *
 * @param <T> the type of the objects
 */
public final class ObjectPool<T> implements AutoCloseable {
  /** The most objects that a stripe can keep. The rest of its cache lines separates stripes. */
  private static final int MAX_PER_STRIPE = Stripes.SPACING / 2;

  private static final int EMPTY = 0;
  private static final int FREE = 1;
  private static final int USED = 2;
  private static final int CLOSED = 3;
  private static final int STATE_BITS = 2;
  private static final int STATE = (1 << STATE_BITS) - 1;

  private final AtomicIntegerArray states = new AtomicIntegerArray(Stripes.arrayLength());

  /** The object of each slot; written by the thread that has the slot in the state USED. */
  private final @Nullable Object[] objects = new Object[Stripes.arrayLength()];

  private final int perStripe;
  private final Supplier<? extends T> factory;
  private final Consumer<? super T> closer;

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
   * Returns an object from the pool, or a new one. The caller owns it, and passes it to {@link
   * #release} or {@link #discard}.
   *
   * @param stripe the stripe of the calling thread, whose objects are tried first
   * @return an object that no other thread uses
   */
  public T acquire(int stripe) {
    return acquire(stripe, perStripe);
  }

  /**
   * Returns an object that will be used for long, as that of an open iterator: leaves one slot of
   * each stripe for {@link #acquire(int)}, which would otherwise make an object for each call after
   * such objects are in all slots.
   *
   * @param stripe the stripe of the calling thread, whose objects are tried first
   * @return an object that no other thread uses
   */
  public T acquireForLong(int stripe) {
    return acquire(stripe, perStripe - 1);
  }

  private T acquire(int stripe, int slots) {
    int slot = claim(stripe, FREE, slots);
    if (slot < 0) {
      return factory.get();
    }
    T object = at(slot);
    int first = Stripes.cell(stripe);
    if (slot < first || slot >= first + slots) {
      move(object, slot, stripe, slots);
    }
    return object;
  }

  /** Moves an object that the caller uses to one of the first slots of a stripe if one is empty. */
  private void move(T object, int from, int stripe, int slots) {
    int slot = claimIn(stripe, EMPTY, slots, false);
    if (slot >= 0) {
      objects[slot] = object;
      objects[from] = null;
      leaveSlot(from, EMPTY);
    }
  }

  @SuppressWarnings("unchecked") // only objects of type T are stored
  private T at(int slot) {
    return (T) objects[slot];
  }

  /**
   * Changes the state of one of the first {@code slots} slots of a stripe, or else of the next
   * stripes, from {@code state} to USED; returns the slot, or -1.
   */
  private int claim(int stripe, int state, int slots) {
    int slot = claimIn(stripe, state, slots, true);
    for (int i = 1; slot < 0 && i < Stripes.COUNT; i++) {
      slot = claimIn(stripe + i & Stripes.COUNT - 1, state, slots, false);
    }
    return slot;
  }

  /** Does so in one stripe; if it is that of the thread, leaves it when another thread uses it. */
  private int claimIn(int stripe, int state, int slots, boolean own) {
    int used = (int) Thread.currentThread().getId() << STATE_BITS | USED;
    int first = Stripes.cell(stripe);
    boolean stays = own;
    for (int slot = first; slot < first + slots; slot++) {
      int now = states.getPlain(slot);
      if (now == state && states.compareAndSet(slot, state, used)) {
        return slot;
      }
      if (stays && (now & STATE) == USED && now != used) {
        Stripes.leave(stripe);
        stays = false; // one move, however many slots others use
      }
    }
    return -1;
  }

  /** Changes the state of a slot that the caller uses; returns false if the pool was closed. */
  private boolean leaveSlot(int slot, int state) {
    int now = states.getPlain(slot);
    return (now & STATE) == USED && states.compareAndSet(slot, now, state);
  }

  /** Returns the slot of an object that the caller uses, or -1 if it has none. */
  private int slotOf(T object, int stripe) {
    for (int i = 0; i < Stripes.COUNT; i++) {
      int first = Stripes.cell(stripe + i & Stripes.COUNT - 1);
      for (int slot = first; slot < first + perStripe; slot++) {
        if (objects[slot] == object) {
          return slot;
        }
      }
    }
    return -1;
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
    int slot = slotOf(object, stripe);
    if (slot < 0) {
      slot = claim(stripe, EMPTY, perStripe);
      if (slot >= 0) {
        objects[slot] = object;
      }
    }
    if (slot < 0 || !leaveSlot(slot, FREE)) {
      closer.accept(object);
    }
  }

  /**
   * Takes ownership of an object that is not to be used again, and closes it.
   *
   * @param object the object
   * @param stripe the stripe of the calling thread, whose slots are searched first
   */
  public void discard(T object, int stripe) {
    int slot = slotOf(object, stripe);
    if (slot >= 0) {
      objects[slot] = null;
      leaveSlot(slot, EMPTY);
    }
    closer.accept(object);
  }

  /** Closes the objects in the pool. Objects in use are closed when they are released. */
  @Override
  public void close() {
    for (int slot = 0; slot < states.length(); slot++) {
      if (states.getAndSet(slot, CLOSED) == FREE) {
        closer.accept(at(slot));
      }
    }
  }
}
