package dev.kv.core.load;

import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.iterator.MergingIterator;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.ArenaPool;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.memtable.MemTable;
import dev.kv.file.PendingFault;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sorts entries with a bounded amount of memory. Entries are collected in a memtable; a full one is
 * written to a {@link SortedRun}, and the runs are merged. {@value #FAN_IN} runs are merged into a
 * larger one as soon as there are so many, so that the last merge reads few files at once. Entries
 * get their position as the sequence number, so of entries with the same key the last one comes
 * first. Not thread-safe.
 */
final class ExternalSort implements AutoCloseable {
  /** The maximum number of runs that are merged at once, for each level of merges. */
  private static final int FAN_IN = 64;

  private static final int ENTRY_BYTES = 1 << 10;

  private final InternalKeyComparator comparator;
  private final RunFiles files;
  private final int memory;
  private final ArenaPool arenas;
  private final PendingFault pendingFault = new PendingFault();
  private final OffHeapBuffer entry;

  /** The runs by level: those of level n were merged n times. */
  private final List<List<SortedRun>> runs = new ArrayList<>();

  private @Nullable MemTable memtable;
  private long count;

  /**
   * Creates a sort without entries.
   *
   * @param files creates the files of runs; the sort closes them
   * @param memory the bytes of memory for entries
   */
  ExternalSort(InternalKeyComparator comparator, RunFiles files, int memory, OffHeapBudget budget) {
    this.comparator = comparator;
    this.files = files;
    this.memory = memory;
    entry = new OffHeapBuffer(budget, ENTRY_BYTES);
    arenas = new ArenaPool(budget);
  }

  /** Adds an entry: the remaining bytes of the buffers. */
  void add(ByteBuffer key, ByteBuffer value) {
    int keyLength = key.remaining();
    int valueLength = value.remaining();
    LoadWriter.requireFits(keyLength, valueLength);
    ByteBuffer bytes = entry.ensureCapacity(keyLength + valueLength);
    pendingFault.copyKeyOrValue(key, bytes, 0);
    pendingFault.copyKeyOrValue(value, bytes, keyLength);
    MemTable table = memtable;
    long length = (long) keyLength + valueLength;
    if (table != null && !table.ensureRoomFor(length, 1)) {
      spill();
      table = null;
    }
    if (table == null) {
      int needed = (int) MemTable.arenaBytesFor(length, 1);
      int limit = Math.max(memory, needed);
      table = new MemTable(comparator, arenas.acquire(needed, limit, true), arenas);
      memtable = table;
    }
    table.add(++count, ValueKind.VALUE, bytes, 0, keyLength, keyLength, valueLength);
  }

  private void spill() {
    MemTable full = memtable;
    if (full == null) {
      return;
    }
    try (ForwardIterator entries = full.iterator()) {
      add(0, files.write(entries));
    }
    memtable = null;
    full.release();
  }

  private void add(int level, SortedRun run) {
    if (runs.size() == level) {
      runs.add(new ArrayList<>());
    }
    List<SortedRun> same = runs.get(level);
    same.add(run);
    if (same.size() == FAN_IN) {
      SortedRun merged;
      try (ForwardIterator entries = merge(same)) {
        merged = files.write(entries);
      }
      add(level + 1, merged);
      same.forEach(SortedRun::close);
      same.clear();
    }
  }

  /**
   * Returns a cursor over all entries: by key, and for each key the last one first. No entry can be
   * added afterwards. The caller closes the cursor, before this sort.
   */
  ForwardIterator sorted() {
    MemTable rest = memtable;
    if (runs.isEmpty() && rest != null) {
      return rest.iterator();
    }
    spill();
    return merge(runs.stream().flatMap(List::stream).toList());
  }

  private ForwardIterator merge(List<SortedRun> all) {
    return MergingIterator.opened(comparator, all, SortedRun::iterator);
  }

  @Override
  public void close() {
    runs.forEach(level -> level.forEach(SortedRun::close));
    runs.clear();
    MemTable rest = memtable;
    if (rest != null) {
      memtable = null;
      rest.release();
    }
    arenas.close();
    entry.close();
    files.close();
  }
}
