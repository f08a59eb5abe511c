package dev.kv.core.table;

import dev.kv.core.cache.CacheHandle;
import dev.kv.core.key.LookupResult;
import dev.kv.core.table.cache.BlockAccess;
import dev.kv.core.table.cache.PinnedBlock;
import dev.kv.core.table.cache.TableLookup;
import dev.kv.core.version.FileMetadata;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a lookup of several keys: the last few are kept pinned, with one block of each. If
 * the keys are sorted, those in the same block find it with one search in the cache, one load and
 * one checksum. Reusable; not thread-safe.
 */
public final class MultiGetContext {
  /** As many tables as a key is searched in if level 0 is full. */
  private static final int MAX_TABLES = 18;

  private static final int NONE = -1;

  private final TableCache tables;
  private final List<Slot> slots = new ArrayList<>();
  private int next;

  /** Creates a context that keeps nothing pinned. */
  public MultiGetContext(TableCache tables) {
    this.tables = tables;
  }

  /** A table, and the block of it that was searched last. */
  private static final class Slot implements BlockAccess {
    private FileMetadata file;
    private CacheHandle<Table> table;
    private @Nullable PinnedBlock block;
    private int at = NONE;

    /** Takes ownership of the pin of the table. */
    Slot(FileMetadata file, CacheHandle<Table> table) {
      this.file = file;
      this.table = table;
    }

    @Override
    public int search(TableLookup lookup, int wanted, long offset, int size) {
      PinnedBlock held = block;
      if (held == null || at != wanted) {
        releaseBlock();
        held = table.value().acquireBlock(wanted, lookup.flags(), null);
        block = held;
        at = wanted;
      }
      int result = table.value().search(lookup, held, wanted);
      if (result == LookupResult.FOUND) {
        lookup.setValue(null);
      }
      return result;
    }

    void replace(FileMetadata by, CacheHandle<Table> pin) {
      release();
      file = by;
      table = pin;
    }

    private void releaseBlock() {
      PinnedBlock held = block;
      block = null;
      if (held != null) {
        held.close();
      }
    }

    void release() {
      releaseBlock();
      table.close();
    }
  }

  /**
   * Looks a key up in a file; see {@link TableCache#get}. The value is valid until the next call,
   * and has no pin of its own.
   */
  public int get(FileMetadata file, TableLookup lookup) {
    Slot slot = slotOf(file);
    return slot.table.value().get(lookup, slot);
  }

  @SuppressWarnings("ReferenceEquality") // a file has one object in a version
  private Slot slotOf(FileMetadata file) {
    for (int i = 0; i < slots.size(); i++) {
      Slot slot = slots.get(i);
      if (slot.file == file) {
        return slot;
      }
    }
    CacheHandle<Table> table = tables.acquire(file);
    if (slots.size() < MAX_TABLES) {
      Slot fresh = new Slot(file, table);
      slots.add(fresh);
      return fresh;
    }
    Slot reused = slots.get(next);
    next = (next + 1) % MAX_TABLES;
    reused.replace(file, table);
    return reused;
  }

  /** Releases all pins; the object can be used again. */
  public void release() {
    slots.forEach(Slot::release);
    slots.clear();
    next = 0;
  }
}
