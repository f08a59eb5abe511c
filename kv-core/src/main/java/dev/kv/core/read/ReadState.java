package dev.kv.core.read;

import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.memory.Stripes;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.version.Version;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * All data at one point in time: the memtable, the immutable memtables and the version. Entries are
 * never removed from them. So a sequence number that was read after the state was pinned, or that a
 * snapshot keeps, gives an unchanging view.
 *
 * <p>Pins are counted in stripes, so that readers share no counter. Every access below is volatile
 * or an atomic update, so all threads see all of them in one order.
 *
 * <pre>
 * pin      P1 increment the stripe of the reader.
 *          P2 read {@link ReadStates}.current. If it is this state, the reader has a pin;
 *             otherwise it continues with R1, and tries the other state.
 * release  R1 decrement the stripe in which the pin was taken.
 *          R2 read `retired`; if it is true, check.
 * publish  W1 write current: it is the next state, or null after the close.
 *          W2 write `retired` of this state, and check.
 * check    C1 read `keepers`: if it is not 0, stop.
 *          C2 read every stripe: if one is not 0, stop.
 *          C3 free the state, unless a compare-and-set of `freed` says that a check has done it.
 *
 * 1. A pinned state is not freed. P2 has read this state, so P1 comes before W1, and so before W2
 *    and before each check. Until R1, each check reads at least 1 in that stripe: a stripe is never
 *    less than the number of its pins.
 * 2. A state without pins is freed. After W2 no pin is taken (3 is the exception), and each P1 is
 *    followed by an R1. Take the last R1 or removal of a keeper. If it comes after W2, its R2 reads
 *    true, and its check reads 0 everywhere. If it comes before W2, the check of W2 does.
 * 3. A keeper is a snapshot that must not see the next state. It is added before W1. While it is
 *    there, with the lock of the {@link SnapshotList}, a reader can pin without P2. It is removed
 *    after that, and its removal checks. So a C1 that reads 0 comes after the P1 of each such pin,
 *    and the C2 that follows reads it.
 * 4. Reads of the memtables and tables happen before the state is freed: each R1 is an atomic
 *    update that the C2 of the check that frees has read, or a later value of the same stripe.
 * </pre>
 */
public final class ReadState {
  /** From the newest to the oldest: the mutable one is the first. */
  private final MemTable[] memTables;

  private final Version version;
  private final long changes;

  private final AtomicLongArray pins = new AtomicLongArray(Stripes.arrayLength());
  private final AtomicInteger keepers = new AtomicInteger();
  private final AtomicBoolean freed = new AtomicBoolean();
  private volatile boolean retired;

  /**
   * Creates a state and retains the memtables and the version.
   *
   * @param memTables from the newest, which is the mutable one, to the oldest
   * @param changes how often content has changed outside the log up to this state
   */
  ReadState(List<MemTable> memTables, Version version, long changes) {
    this.memTables = memTables.toArray(new MemTable[0]);
    this.version = version;
    this.changes = changes;
    for (MemTable memTable : memTables) {
      memTable.retain();
    }
    version.retain();
  }

  /** Returns the number of memtables. */
  int memTableCount() {
    return memTables.length;
  }

  /** Returns a memtable; 0 is the mutable one, which is the newest. */
  MemTable memTable(int index) {
    return memTables[index];
  }

  /**
   * Looks up the newest entry of a key in the memtables, and returns a {@link LookupResult}. If it
   * is {@link LookupResult#FOUND}, {@code value} is set.
   */
  int find(LookupKey key, ValueRef value) {
    int result = LookupResult.NOT_FOUND;
    for (int i = 0; result == LookupResult.NOT_FOUND && i < memTables.length; i++) {
      result = memTables[i].get(key, value);
    }
    return result;
  }

  /**
   * Returns the tag of the newest entry of a key in the newest {@code count} memtables, or {@link
   * MemTable#NO_ENTRY}.
   */
  long newestTag(LookupKey key, int count) {
    long tag = MemTable.NO_ENTRY;
    for (int i = 0; tag == MemTable.NO_ENTRY && i < count; i++) {
      tag = memTables[i].newestTag(key);
    }
    return tag;
  }

  /** Returns the version, which lists the tables. */
  public Version version() {
    return version;
  }

  /**
   * Returns how often content has changed outside the log up to this state. If two states have the
   * same number, the writes between them are in memtables, or in tables that were memtables.
   */
  long changes() {
    return changes;
  }

  /** Returns true if a memtable holds an entry of a user key of {@code range}. */
  boolean memTablesHold(KeyBounds range) {
    return Arrays.stream(memTables).anyMatch(entries -> holds(entries, range));
  }

  private boolean holds(MemTable entries, KeyBounds range) {
    try (InternalIterator cursor = entries.iterator()) {
      cursor.seekToStart(range);
      return cursor.isValid()
          && range.isBeforeEnd(
              version.comparator().userComparator(),
              cursor.keyBuffer(),
              cursor.keyOffset(),
              cursor.keyLength() - InternalKey.TRAILER);
    }
  }

  void pin(int stripe) {
    pins.getAndIncrement(Stripes.cell(stripe));
  }

  void unpin(int stripe) {
    long before = pins.getAndDecrement(Stripes.cell(stripe));
    if (before <= 0) {
      throw new AssertionError("a pin was released twice, or in the wrong stripe");
    }
    if (retired) {
      freeUnlessPinned();
    }
  }

  /** Adds a keeper: until it is removed, the state can be pinned though it is no longer current. */
  void keep() {
    keepers.getAndIncrement();
  }

  /** Removes a keeper. */
  void unkeep() {
    if (keepers.getAndDecrement() <= 0) {
      throw new AssertionError("a keeper was removed twice");
    }
    if (retired) {
      freeUnlessPinned();
    }
  }

  /** Allows the state to be freed. Must be called once, after it has ceased to be current. */
  void retire() {
    retired = true;
    freeUnlessPinned();
  }

  private void freeUnlessPinned() {
    if (keepers.get() != 0) {
      return;
    }
    for (int stripe = 0; stripe < Stripes.COUNT; stripe++) {
      if (pins.get(Stripes.cell(stripe)) != 0) {
        return;
      }
    }
    if (freed.compareAndSet(false, true)) {
      for (MemTable each : memTables) {
        each.release();
      }
      version.release();
    }
  }
}
