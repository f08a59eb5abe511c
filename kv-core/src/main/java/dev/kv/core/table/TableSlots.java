package dev.kv.core.table;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.core.cache.CacheHandle;
import dev.kv.core.version.FileMetadata;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The open tables of a cache by small numbers. The metadata of a file remembers the number of its
 * table, so that a read finds the table without a search in the cache. Thread-safe.
 *
 * <p>The handle in a slot is not pinned. A slot is used again after its table was freed, so {@link
 * #acquire} checks whose handle it has found.
 */
final class TableSlots {
  private static final int INITIAL_SLOTS = 64;

  /** Replaced by a longer array if all slots are used. */
  private volatile AtomicReferenceArray<@Nullable CacheHandle<Table>> handles =
      new AtomicReferenceArray<>(INITIAL_SLOTS);

  @GuardedBy("this")
  private final BitSet used = new BitSet();

  /** Returns the table of a file, pinned, or null if it is not in the slot that the file has. */
  @Nullable CacheHandle<Table> acquire(FileMetadata file) {
    AtomicReferenceArray<@Nullable CacheHandle<Table>> now = handles;
    int slot = file.tableSlot();
    CacheHandle<Table> handle = slot >= 0 && slot < now.length() ? now.get(slot) : null;
    return handle != null && handle.key() == file.number() && handle.tryPin() ? handle : null;
  }

  /** Puts an open table, which the caller has pinned, into a slot, and tells the file the slot. */
  synchronized void put(FileMetadata file, CacheHandle<Table> handle) {
    Table table = handle.value();
    int slot = table.slot();
    if (slot == FileMetadata.NO_SLOT) {
      slot = used.nextClearBit(0);
      used.set(slot);
      table.setSlot(this, slot);
      ensureCapacity(slot + 1);
      handles.set(slot, handle);
    }
    file.setTableSlot(slot);
  }

  @GuardedBy("this")
  private void ensureCapacity(int count) {
    AtomicReferenceArray<@Nullable CacheHandle<Table>> now = handles;
    if (count > now.length()) {
      AtomicReferenceArray<@Nullable CacheHandle<Table>> longer =
          new AtomicReferenceArray<>(2 * now.length());
      for (int i = 0; i < now.length(); i++) {
        longer.set(i, now.get(i));
      }
      handles = longer;
    }
  }

  /** Makes a slot free. Called when its table is freed. */
  synchronized void remove(int slot) {
    handles.set(slot, null);
    used.clear(slot);
  }
}
