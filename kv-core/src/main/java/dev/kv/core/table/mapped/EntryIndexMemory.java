package dev.kv.core.table.mapped;

import dev.kv.core.memory.DirectMemory;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.errors.OffHeapExhaustedException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The memory of the entry indexes of blocks that are searched in the mapping of their tables. One
 * object for all databases that share a block cache. Thread-safe.
 *
 * <p>All indexes together take at most as many bytes as the block cache may, or {@link
 * #LEAST_LIMIT} if that is more. A table that asks for memory beyond this gets the memory of tables
 * whose indexes no lookup has used since the request before. If the budget is used up, all indexes
 * are dropped. Lookups continue without them.
 */
public final class EntryIndexMemory implements OffHeapBudget.Reclaimer {
  /** Enough for the indexes of tables of 160 MiB. */
  private static final long LEAST_LIMIT = 16 << 20;

  /** The entry indexes of a table, which can be dropped at any time. */
  public interface Owner {
    /** Returns true if a lookup has used the indexes since the last call. */
    boolean wasUsed();

    /** Drops the indexes: gives their memory back, and uses it no more. May be called twice. */
    void drop();
  }

  private final OffHeapBudget budget;
  private final long limit;
  private final AtomicLong bytes = new AtomicLong();
  private final Set<Owner> owners = ConcurrentHashMap.newKeySet();

  /** Creates the memory for tables whose block cache has {@code cacheCapacity} bytes. */
  public EntryIndexMemory(OffHeapBudget budget, long cacheCapacity) {
    this.budget = budget;
    limit = Math.max(cacheCapacity, LEAST_LIMIT);
    budget.onShortage(this);
  }

  @Override
  public void trim() {
    for (Owner owner : owners) {
      owner.drop();
    }
  }

  /**
   * Returns {@code length} bytes, all 0, for the indexes of {@code owner}; null if none is left.
   * The owner gives them back with {@link #release}, and is forgotten when its table is closed. A
   * lookup that still uses them afterwards reads what was in them: they are never used again.
   */
  public @Nullable ByteBuffer tryAllocate(Owner owner, int length) {
    owners.add(owner);
    if (!reserve(length)) {
      for (Owner each : owners) {
        if (!each.wasUsed()) {
          each.drop();
        }
      }
      if (!reserve(length)) {
        return null;
      }
    }
    if (budget.tryReserve(MemoryKind.INDEX_AND_FILTER, length)) {
      try {
        return DirectMemory.allocate(length);
      } catch (OffHeapExhaustedException e) { // the JVM has none
        budget.release(MemoryKind.INDEX_AND_FILTER, length);
      }
    }
    bytes.addAndGet(-length);
    return null;
  }

  private boolean reserve(int length) {
    if (bytes.addAndGet(length) <= limit) {
      return true;
    }
    bytes.addAndGet(-length);
    return false;
  }

  /** Takes back the memory of an owner. */
  public void release(ByteBuffer memory) {
    bytes.addAndGet(-memory.capacity());
    budget.release(MemoryKind.INDEX_AND_FILTER, memory.capacity());
  }

  /** Drops the indexes of a table that is closed. */
  public void forget(Owner owner) {
    owner.drop();
    owners.remove(owner);
  }

  /** Returns the bytes that are in use. */
  public long bytes() {
    return bytes.get();
  }
}
