package dev.kv.core.table;

import dev.kv.core.cache.CacheHandle;
import dev.kv.core.key.LookupKey;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.table.cache.ReadFlags;
import dev.kv.core.version.FileMetadata;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks up several keys, and keeps the last few tables and one block of each pinned in between. If
 * the keys are sorted, those in the same block find it with one lookup in the cache, one load and
 * one checksum. Reusable; not thread-safe.
 */
public final class HeldTables implements AutoCloseable {
  /** As many tables as a key is searched in if level 0 is full. */
  private static final int MAX_TABLES = 18;

  private final TableCache tables;
  private final LookupCounts counts;
  private final List<Slot> slots = new ArrayList<>();
  private int used;
  private int next;

  /** A table, and the block of it that was searched last. */
  private static final class Slot {
    final HeldBlock block;
    @Nullable FileMetadata file;
    @Nullable CacheHandle<Table> table;

    Slot(HeldBlock block) {
      this.block = block;
    }

    void release() {
      CacheHandle<Table> pinned = table;
      file = null;
      table = null;
      block.release();
      if (pinned != null) {
        pinned.close();
      }
    }
  }

  HeldTables(TableCache tables, LookupCounts counts) {
    this.tables = tables;
    this.counts = counts;
  }

  /**
   * Looks a key up in a file; see {@link TableCache#get}. The value is valid until the next call,
   * and has no pin of its own.
   */
  public int get(
      FileMetadata file,
      LookupKey key,
      boolean verify,
      boolean fill,
      PointReadContext context,
      ValueRef out) {
    Slot slot = slotOf(file);
    CacheHandle<Table> table = slot.table;
    if (table == null) {
      table = tables.acquire(file);
      slot.table = table;
      slot.file = file;
    }
    int result = table.value().get(key, ReadFlags.of(verify, fill), slot.block, out);
    context.setTag(slot.block.context().tag());
    return result;
  }

  @SuppressWarnings("ReferenceEquality") // a file has one object in a version
  private Slot slotOf(FileMetadata file) {
    for (int i = 0; i < used; i++) {
      Slot slot = slots.get(i);
      if (slot.file == file) {
        return slot;
      }
    }
    if (used < MAX_TABLES) {
      if (used == slots.size()) {
        slots.add(new Slot(new HeldBlock(tables.newPointRead(counts))));
      }
      return slots.get(used++);
    }
    Slot reused = slots.get(next);
    next = (next + 1) % MAX_TABLES;
    reused.release();
    return reused;
  }

  /** Releases all pins; the object can be used again. */
  public void release() {
    for (int i = 0; i < used; i++) {
      slots.get(i).release();
    }
    used = 0;
    next = 0;
  }

  @Override
  public void close() {
    release();
    slots.forEach(slot -> slot.block.close());
    slots.clear();
  }
}
