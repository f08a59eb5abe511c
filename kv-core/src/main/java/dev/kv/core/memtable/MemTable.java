package dev.kv.core.memtable;

import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.ArenaPool;
import dev.kv.core.memory.FieldHandles;
import dev.kv.core.memory.NativeArena;
import dev.kv.core.memory.RefCounted;
import dev.kv.core.memory.ValueRef;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The memtable: the newest writes of a database, sorted by internal key, in one off-heap arena. One
 * thread at a time adds entries; any number of threads read concurrently without a lock. The
 * release by the last owner returns the arena to its pool.
 */
public final class MemTable extends RefCounted {
  /** The size of an arena in which no entry fits, in bytes. */
  public static final int EMPTY_ARENA_BYTES = OffHeapSkipList.EMPTY_BYTES;

  /** The result of {@link #newestTag} if there is no entry of the key. No entry has this tag. */
  public static final long NO_ENTRY = -1;

  /**
   * The number of tombstones in runs with which a memtable is flushed before it is full. With
   * 300,000 deletes in a row, the next seek took 0.21 s without this, 0.05 to 0.09 s with 30,000,
   * and 0.06 s with 10,000, for which compactions wrote twice as much.
   */
  static final int MANY_TOMBSTONES = 30_000;

  /** At least one entry in so many is a tombstone then, as in the tables that are compacted. */
  private static final int TOMBSTONE_SHARE = 4;

  /**
   * Tombstones that are neighbors in the order of keys form a run if at most so many operations are
   * between them: those of many queues do, those of keys that are deleted at random do not. A flush
   * of the latter saves no seek, and the compaction of its table would rewrite everything.
   */
  private static final int NEAR = 256;

  /** The number of older versions of a key between two tombstones of a run. */
  private static final int VERSIONS = 2;

  private static final int ARENA_OVERHEAD = 1024;
  private static final VarHandle ENTRIES =
      FieldHandles.of(MethodHandles.lookup(), "entries", int.class);
  private static final VarHandle TOMBSTONES =
      FieldHandles.of(MethodHandles.lookup(), "tombstones", int.class);
  private static final VarHandle IN_RUNS =
      FieldHandles.of(MethodHandles.lookup(), "inRuns", int.class);

  private final InternalKeyComparator order;
  private final NativeArena arena;
  private final ArenaPool pool;
  private final OffHeapSkipList list;

  /** Null while there are few entries, and if the comparator may take different bytes for equal. */
  private volatile @Nullable KeyFilter filter;

  /**
   * Written by the adding thread after the entry that it counts, with a release store, which needs
   * no fence on x86.
   */
  private int entries;

  /** Written by the adding thread, with a release store. */
  private int tombstones;

  /** The number of tombstones in runs. Written by the adding thread, in opaque mode. */
  private int inRuns;

  /** Creates an empty memtable; takes ownership of {@code arena}, which is from {@code pool}. */
  public MemTable(InternalKeyComparator order, NativeArena arena, ArenaPool pool) {
    this.order = order;
    this.arena = arena;
    this.pool = pool;
    list = new OffHeapSkipList(order, arena);
  }

  /**
   * Returns the size of an arena that is large enough for the given entries.
   *
   * @param keyAndValueBytes the bytes of all keys and values together
   * @param count the number of entries
   */
  public static long arenaBytesFor(long keyAndValueBytes, int count) {
    return ARENA_OVERHEAD + keyAndValueBytes + (long) count * OffHeapSkipList.MAX_NODE_OVERHEAD;
  }

  /**
   * Makes room for {@code count} entries, growing the arena if it is too small. Called by the
   * adding thread before the log is written: {@link #add} cannot fail afterwards.
   *
   * @param keyAndValueBytes the bytes of all keys and values together
   * @return false if they do not fit; this memtable must then be replaced
   */
  public boolean ensureRoomFor(long keyAndValueBytes, int count) {
    long needed =
        arena.used() + keyAndValueBytes + (long) count * OffHeapSkipList.MAX_NODE_OVERHEAD;
    if (needed > arena.capacity() && !pool.grow(arena, needed)) {
      return false;
    }
    if (filter == null && isBytewise() && KeyFilter.isDue(arena, needed)) {
      createFilter();
    }
    return true;
  }

  private void createFilter() {
    KeyFilter fresh = new KeyFilter(arena);
    ByteBuffer memory = list.memory();
    for (int node = list.first(); node != OffHeapSkipList.NIL; node = list.next(node)) {
      fresh.add(memory, list.keyOffset(node), list.keyLength(node) - InternalKey.TRAILER);
    }
    filter = fresh;
  }

  private boolean mayContain(LookupKey key) {
    KeyFilter present = filter;
    return present == null || present.mayContain(key.buffer(), 0, key.userKeyLength());
  }

  /** Adds an entry, copied from {@code source}. Each sequence number is added once. */
  public void add(
      long sequence,
      ValueKind kind,
      ByteBuffer source,
      int keyOffset,
      int keyLength,
      int valueOffset,
      int valueLength) {
    KeyFilter present = filter;
    if (present != null) {
      present.add(source, keyOffset, keyLength);
    }
    int node = list.insert(sequence, kind, source, keyOffset, keyLength, valueOffset, valueLength);
    if (kind == ValueKind.DELETION) {
      TOMBSTONES.setRelease(this, tombstones + 1);
      if (continuesRun(node, sequence)) {
        IN_RUNS.setOpaque(this, inRuns + 1);
      }
    }
    ENTRIES.setRelease(this, entries + 1);
  }

  /**
   * Returns true if a new tombstone continues a run: the tombstone before it in the order of keys,
   * over at most {@link #VERSIONS} entries that it may hide, is almost as new.
   */
  private boolean continuesRun(int node, long sequence) {
    int before = list.previous(node);
    for (int i = 0; i <= VERSIONS && before != OffHeapSkipList.NIL; i++) {
      long tag = list.tag(before);
      if (InternalKey.kindCode(tag) == ValueKind.DELETION.code()) {
        return Math.abs(sequence - InternalKey.sequence(tag)) <= NEAR;
      }
      before = list.previous(before);
    }
    return false;
  }

  /**
   * Returns true if reads would skip so many tombstones that this memtable should be flushed before
   * it is full.
   */
  public boolean hasManyTombstones() {
    return (int) IN_RUNS.getOpaque(this) >= MANY_TOMBSTONES
        && tombstoneCount() >= entryCount() / TOMBSTONE_SHARE;
  }

  /**
   * Looks up a key.
   *
   * @param out points at the value, without a pin, if the result is {@link LookupResult#FOUND}
   * @return a constant of {@link LookupResult}
   */
  public int get(LookupKey key, ValueRef out) {
    int node = find(key);
    if (node == OffHeapSkipList.NIL) {
      return LookupResult.NOT_FOUND;
    }
    ByteBuffer memory = list.memory();
    int found = list.keyOffset(node);
    int value = list.valueOffset(node); // the end of the key
    long tag = InternalKey.tag(memory, found, value - found);
    if (InternalKey.kindCode(tag) == ValueKind.DELETION.code()) {
      return LookupResult.DELETED;
    }
    out.set(memory, value, list.valueLength(node), null);
    return LookupResult.FOUND;
  }

  /**
   * Returns the tag of the newest entry of a key at or before the sequence number of {@code key},
   * or {@link #NO_ENTRY}.
   */
  public long newestTag(LookupKey key) {
    int node = find(key);
    return node == OffHeapSkipList.NIL ? NO_ENTRY : list.tag(node);
  }

  /** Returns the newest entry of a key at or before its sequence number, or NIL. */
  private int find(LookupKey key) {
    if (!mayContain(key)) {
      return OffHeapSkipList.NIL;
    }
    ByteBuffer target = key.buffer();
    int length = key.internalKeyLength();
    int node = list.findGreaterOrEqual(target, 0, length);
    return node != OffHeapSkipList.NIL
            && order.compareUserKeys(
                    list.memory(), list.keyOffset(node), list.keyLength(node), target, 0, length)
                == 0
        ? node
        : OffHeapSkipList.NIL;
  }

  /** Returns a cursor over the internal keys, valid while the caller owns the memtable. */
  public InternalIterator iterator() {
    return new MemTableIterator(list);
  }

  /** Returns true if user keys are compared byte by byte. */
  boolean isBytewise() {
    return order.userComparator().isBytewise();
  }

  /** Returns the bytes of the arena that are in use. */
  public long memoryUsed() {
    return arena.used();
  }

  /** Returns the size of the arena in bytes. */
  public long arenaBytes() {
    return arena.capacity();
  }

  /** Returns the number of entries. */
  public int entryCount() {
    return (int) ENTRIES.getAcquire(this);
  }

  /** Returns the number of entries that are tombstones. */
  public int tombstoneCount() {
    return (int) TOMBSTONES.getAcquire(this);
  }

  /**
   * Returns an estimate of the change to the number of keys: the entries, without the tombstones
   * and the entries that these hide.
   */
  public long estimatedKeys() {
    return entryCount() - 2L * tombstoneCount();
  }

  /** Returns true if there are no entries. */
  public boolean isEmpty() {
    return entryCount() == 0;
  }

  @Override
  protected void free() {
    pool.release(arena);
  }
}
