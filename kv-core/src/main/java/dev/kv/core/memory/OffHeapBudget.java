package dev.kv.core.memory;

import dev.kv.errors.OffHeapExhaustedException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The count of the off-heap bytes of one database, or of those that share it, by kind, against one
 * limit. Thread-safe.
 */
public final class OffHeapBudget {
  private static final int KINDS = MemoryKind.values().length;

  private final long limit;

  /** The limit for memtables and other kinds: what is left remains for jobs. */
  private final long memtableLimit;

  private final AtomicLong total = new AtomicLong();
  private final AtomicLongArray byKind = new AtomicLongArray(KINDS);
  private final List<Reclaimer> reclaimers = new CopyOnWriteArrayList<>();

  /** Keeps memory for reuse. */
  @FunctionalInterface
  public interface Reclaimer {
    /** Releases what is only kept. Must not reserve memory itself. */
    void trim();
  }

  /** Creates a budget of {@code limit} bytes; 0 means no limit. */
  public OffHeapBudget(long limit) {
    this(limit, 0);
  }

  /**
   * Creates a budget of {@code limit} bytes; 0 means no limit.
   *
   * @param forJobs the bytes that memtables leave for other kinds: the flush that releases a
   *     memtable needs some itself
   */
  public OffHeapBudget(long limit, long forJobs) {
    if (limit < 0 || forJobs < 0 || forJobs > limit) {
      throw new IllegalArgumentException("off-heap limit " + limit + ", for jobs " + forJobs);
    }
    this.limit = limit;
    this.memtableLimit = limit - forJobs;
  }

  /**
   * Registers what keeps memory for reuse: it is trimmed if a reservation does not fit, by the
   * thread that reserves.
   */
  public void onShortage(Reclaimer reclaimer) {
    reclaimers.add(reclaimer);
  }

  /** Removes what {@link #onShortage} registered. */
  public void forget(Reclaimer reclaimer) {
    reclaimers.remove(reclaimer);
  }

  /**
   * Counts {@code bytes}. If they do not fit, the callbacks first release memory that is only kept
   * for reuse. The caller holds no lock.
   *
   * @throws OffHeapExhaustedException if they do not fit even so; nothing is counted then
   */
  public void reserve(MemoryKind kind, long bytes) {
    if (tryReserve(kind, bytes)) {
      return;
    }
    reclaim();
    reserveWithoutReclaim(kind, bytes);
  }

  /** Counts {@code bytes} as {@link #reserve} does, and also if they do not fit even so. */
  void reserveOrCount(MemoryKind kind, long bytes) {
    if (!tryReserve(kind, bytes)) {
      reclaim();
      count(kind, bytes);
    }
  }

  /** Counts {@code bytes}, or throws {@link OffHeapExhaustedException} if they do not fit. */
  void reserveWithoutReclaim(MemoryKind kind, long bytes) {
    if (!tryReserve(kind, bytes)) {
      throw exhausted(kind, bytes);
    }
  }

  /** Releases all memory that is only kept for reuse. The caller holds no lock. */
  public void reclaim() {
    for (Reclaimer reclaimer : reclaimers) {
      reclaimer.trim();
    }
  }

  /** Counts {@code bytes} and returns true, or returns false if they do not fit. */
  public boolean tryReserve(MemoryKind kind, long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("negative reservation " + bytes);
    }
    if (limit == 0) {
      total.addAndGet(bytes);
    } else {
      long now;
      do {
        now = total.get();
        long left = limit(kind) - now;
        if (bytes > Math.max(left, 0)) { // reads may have exceeded the limit
          return false;
        }
      } while (!total.compareAndSet(now, now + bytes));
    }
    byKind.addAndGet(kind.ordinal(), bytes);
    return true;
  }

  /** Returns false if {@code bytes} are more than the limit allows, whatever is released. */
  public boolean canFit(MemoryKind kind, long bytes) {
    return limit == 0 || bytes <= limit(kind);
  }

  private long limit(MemoryKind kind) {
    return kind == MemoryKind.MEMTABLE ? memtableLimit : limit;
  }

  /** Counts {@code bytes} even if they do not fit: they are few, and their user cannot fail. */
  void count(MemoryKind kind, long bytes) {
    total.addAndGet(bytes);
    byKind.addAndGet(kind.ordinal(), bytes);
  }

  /** Subtracts {@code bytes} that were reserved for {@code kind}. */
  public void release(MemoryKind kind, long bytes) {
    long left = byKind.addAndGet(kind.ordinal(), -bytes);
    total.addAndGet(-bytes);
    if (Invariants.ON && left < 0) {
      throw new AssertionError("released " + -left + " bytes too many of " + kind);
    }
  }

  /** Moves {@code bytes} from one kind to another; the sum stays. */
  void move(MemoryKind from, MemoryKind to, long bytes) {
    if (from != to) {
      byKind.addAndGet(to.ordinal(), bytes);
      byKind.addAndGet(from.ordinal(), -bytes);
    }
  }

  /** Returns the bytes of one kind. */
  public long used(MemoryKind kind) {
    return byKind.get(kind.ordinal());
  }

  /** Returns the bytes of all kinds. */
  public long used() {
    return total.get();
  }

  /** Returns the limit; 0 for none. */
  public long limit() {
    return limit;
  }

  private OffHeapExhaustedException exhausted(MemoryKind kind, long bytes) {
    return new OffHeapExhaustedException(
        "no room for "
            + bytes
            + " bytes ("
            + kind
            + "): "
            + used()
            + " of the off-heap limit of "
            + limit
            + " bytes are in use; raise offHeapLimit, or make writeBufferSize or the"
            + " block cache smaller");
  }
}
