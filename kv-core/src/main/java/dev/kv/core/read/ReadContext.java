package dev.kv.core.read;

import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.KeyBuffer;
import dev.kv.core.key.LookupKey;
import dev.kv.core.memory.BufferSlice;
import dev.kv.core.memory.ObjectPool;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.memory.Stripes;
import dev.kv.core.memory.Undo;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.table.MultiGetContext;
import dev.kv.core.table.TableCache;
import dev.kv.core.table.cache.LookupCounts;
import dev.kv.core.table.cache.TableLookup;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The reusable objects of one read or one iterator; used by one thread at a time. */
final class ReadContext implements AutoCloseable {
  private static final int FIRST_CAPACITY = 256;

  /** A context that has grown larger than this for a large entry is not reused. */
  private static final int KEPT_CAPACITY = 1 << 20;

  private final OffHeapBudget budget;
  private final LookupKey key;
  private final ValueRef value = new ValueRef();
  private final BufferSlice slice = new BufferSlice();
  private final OffHeapBuffer storage;
  private final KeyBuffer saved;
  private final LookupStats stats;

  // Created at the first use.
  private @Nullable TableLookup lookup;
  private @Nullable LookupKey lower;
  private @Nullable LookupKey upper;
  private @Nullable LookupCounts counts;

  /** The tables of a lookup of several keys; null during any other lookup. */
  private @Nullable MultiGetContext several;

  /** The stripe of the thread that uses the context. */
  private int stripe;

  /** The sequence number to read at. */
  private long sequence;

  /** True if values are copied, so that they need no pin. */
  private boolean copies;

  /**
   * Creates the objects.
   *
   * @param budget counts the scratch memory
   * @param stats sums the counts of all contexts
   */
  ReadContext(OffHeapBudget budget, LookupStats stats) {
    this.budget = budget;
    this.stats = stats;
    storage = OffHeapBuffer.forReads(budget, 0); // empty: there may be no memory for the undo
    saved = new KeyBuffer(storage);
    try (Undo undo = new Undo(storage::close)) {
      storage.ensureCapacity(FIRST_CAPACITY);
      key = new LookupKey(budget);
      undo.cancel();
    }
  }

  /** Acquires a context for the calling thread; {@link #releaseTo} gives it back. */
  static ReadContext acquireFrom(ObjectPool<ReadContext> pool) {
    int stripe = Stripes.current();
    return begin(pool.acquire(stripe), stripe);
  }

  /** Does the same for an iterator, which may stay open for long. */
  static ReadContext acquireForIteratorFrom(ObjectPool<ReadContext> pool) {
    int stripe = Stripes.current();
    return begin(pool.acquireForLong(stripe), stripe);
  }

  private static ReadContext begin(ReadContext context, int stripe) {
    context.stripe = stripe;
    context.copies = false;
    return context;
  }

  /** Returns the stripe in which the user of the context pins. */
  int stripe() {
    return stripe;
  }

  /** Sets the sequence number to read at, which was read after the state was pinned. */
  void setSequence(long next) {
    sequence = next;
  }

  /** Says that values will be copied before the next lookup. */
  void setCopies() {
    copies = true;
  }

  /** Returns true if values will be copied. */
  boolean copies() {
    return copies;
  }

  /** Returns the sequence number to read at. */
  long sequence() {
    return sequence;
  }

  LookupKey key() {
    return key;
  }

  /** Returns the lookup in tables, for the key and the value of this context. */
  TableLookup lookup(TableCache tables) {
    TableLookup made = lookup;
    if (made == null) {
      made = tables.newLookup(key, value, counts());
      lookup = made;
    }
    return made;
  }

  /** Sets the tables that stay pinned between lookups; null if none do. */
  void setSeveral(@Nullable MultiGetContext next) {
    several = next;
  }

  /** Returns the tables that stay pinned between lookups; null if none do. */
  @Nullable MultiGetContext several() {
    return several;
  }

  /** Counts the lookup that the context is used for. */
  void count(int what) {
    counts().increment(what);
  }

  private LookupCounts counts() {
    LookupCounts made = counts;
    if (made == null) {
      made = stats.open();
      counts = made;
    }
    return made;
  }

  ValueRef value() {
    return value;
  }

  BufferSlice slice() {
    return slice;
  }

  KeyBuffer saved() {
    return saved;
  }

  /** Returns the lower bound as the target of a seek at {@code sequence}; null if there is none. */
  @Nullable LookupKey lower(KeyBounds bounds, long sequence) {
    byte[] bound = bounds.lower();
    if (bound == null) {
      return null;
    }
    LookupKey target = lower == null ? new LookupKey(budget) : lower;
    lower = target;
    target.set(bound, sequence);
    return target;
  }

  /**
   * Returns the upper bound as the target of a seek before all its entries; null if there is none.
   */
  @Nullable LookupKey upper(KeyBounds bounds) {
    byte[] bound = bounds.upper();
    if (bound == null) {
      return null;
    }
    LookupKey target = upper == null ? new LookupKey(budget) : upper;
    upper = target;
    target.set(bound, InternalKey.MAX_SEQUENCE);
    return target;
  }

  /**
   * Searches a range of a cursor, which it moves, for an entry with a higher sequence number.
   *
   * @return the user key of the first such entry, or null
   */
  byte @Nullable [] firstNewer(
      InternalIterator entries, ReadRange range, long sequence, InternalKeyComparator order) {
    byte[] low = range.low();
    if (low == null) {
      entries.seekToFirst();
    } else {
      key.set(low, InternalKey.MAX_SEQUENCE);
      entries.seek(key.buffer(), 0, key.internalKeyLength());
    }
    for (; entries.isValid(); entries.next()) {
      ByteBuffer buffer = entries.keyBuffer();
      int offset = entries.keyOffset();
      int length = entries.keyLength() - InternalKey.TRAILER;
      if (range.endsBefore(order.userComparator(), buffer, offset, length)) {
        return null;
      }
      if (InternalKey.sequence(InternalKey.tag(buffer, offset, entries.keyLength())) > sequence) {
        return InternalKey.copy(buffer, offset, length);
      }
    }
    return null;
  }

  /** Gives the context to {@code pool} for the next read, or closes it if it has grown large. */
  void releaseTo(ObjectPool<ReadContext> pool) {
    if (isReusable()) {
      pool.release(this, stripe);
    } else {
      pool.discard(this, stripe);
    }
  }

  /** Returns true if the context is small enough to be kept for the next read. */
  boolean isReusable() {
    return storage.buffer().capacity() <= KEPT_CAPACITY
        && key.buffer().capacity() <= KEPT_CAPACITY
        && (lookup == null || lookup.capacity() <= KEPT_CAPACITY)
        && (lower == null || lower.buffer().capacity() <= KEPT_CAPACITY)
        && (upper == null || upper.buffer().capacity() <= KEPT_CAPACITY);
  }

  @Override
  public void close() {
    if (counts != null) {
      stats.close(counts);
    }
    storage.close();
    if (lookup != null) {
      lookup.close();
    }
    key.close();
    if (lower != null) {
      lower.close();
    }
    if (upper != null) {
      upper.close();
    }
  }
}
