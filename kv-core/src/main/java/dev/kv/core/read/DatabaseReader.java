package dev.kv.core.read;

import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.admin.DBStats;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.PinnedValue;
import dev.kv.bytes.Slice;
import dev.kv.bytes.ValueReader;
import dev.kv.core.event.Events;
import dev.kv.core.iterator.TombstoneSkipIndex;
import dev.kv.core.key.LookupResult;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.BufferSlice;
import dev.kv.core.memory.ObjectPool;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.table.MultiGetContext;
import dev.kv.core.table.TableCache;
import dev.kv.core.table.cache.ReadFlags;
import dev.kv.core.version.Version;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBClosedException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Serves all reads of a database: lookups and iterators. Each pins a consistent view. Thread-safe.
 * A lookup in cached blocks allocates only its result, and takes no lock but, with a snapshot, that
 * of the snapshots.
 *
 * <p>The view of a read without a snapshot is made in this order: pin the state, then read the last
 * sequence number. Entries that compactions drop afterwards stay in the pinned state. In the
 * opposite order, a compaction could drop the very entry that is visible at the number.
 *
 * <p>Content that changes outside the log, such as a deleted range, is in the next state only. So
 * the state must still be the current one after the number was read. Otherwise the read would show
 * later writes without the change, and it starts again. A snapshot from before the change keeps its
 * state, see {@link SnapshotList#keepViews}.
 */
public final class DatabaseReader implements DBReader, AutoCloseable {
  /** Enough for a few open iterators of each thread. */
  private static final int CONTEXTS_PER_STRIPE = 16;

  private final ReadStates states;
  private final SnapshotList snapshots;
  private final TableCache tables;
  private final PointReader points;
  private final ObjectPool<ReadContext> contexts;
  private final Consumer<ReadContext> readSequence;
  private final OpenIterators iterators;
  private final CursorParts cursorParts;
  private final Events events;
  private final LookupStats lookups = new LookupStats();
  private volatile boolean closed;

  /**
   * Creates a reader. The caller keeps the ownership of all arguments.
   *
   * @param budget counts the scratch memory
   * @param skips the ranges of keys that seeks skip
   * @param seeks called if reads have used up the allowed seeks of a table of the current version,
   *     so that its compaction pays off; on the reader's thread, so it must be quick and not throw;
   *     null if there is no seek compaction
   * @param events receives damage, and names the database in messages
   * @param trackIterators true if each iterator records where it was opened
   */
  public DatabaseReader(
      ReadStates states,
      SnapshotList snapshots,
      TableCache tables,
      OffHeapBudget budget,
      TombstoneSkipIndex skips,
      @Nullable Runnable seeks,
      Events events,
      boolean trackIterators) {
    this.states = states;
    this.snapshots = snapshots;
    this.tables = tables;
    this.points = new PointReader(tables, seeks);
    this.contexts =
        new ObjectPool<>(
            CONTEXTS_PER_STRIPE, () -> new ReadContext(budget, lookups), ReadContext::close);
    this.readSequence = context -> context.setSequence(snapshots.lastSequence());
    this.cursorParts =
        new CursorParts(
            seeks == null ? null : new SeekSampler(states, seeks), skips, events.database());
    this.events = events;
    this.iterators = new OpenIterators(events, trackIterators);
  }

  @Override
  public byte @Nullable [] get(ReadOptions options, byte[] key) {
    requireLookup(options);
    ReadContext context = ReadContext.acquireFrom(contexts);
    ReadState state = pin(context, options);
    context.setCopies();
    try {
      context.key().set(key, context.sequence());
      byte[] value = find(state, context, options) ? context.value().copy() : null;
      checkOpen();
      return value;
    } finally {
      unpin(state, context);
    }
  }

  @Override
  public int get(ReadOptions options, ByteBuffer key, ByteBuffer into) {
    requireLookup(options);
    ReadContext context = ReadContext.acquireFrom(contexts);
    ReadState state = pin(context, options);
    context.setCopies();
    try {
      context.key().set(key, context.sequence());
      int length = NOT_FOUND;
      if (find(state, context, options)) {
        ValueRef value = context.value();
        length = value.length;
        int at = into.position();
        int count = Math.min(length, into.remaining());
        into.put(at, value.buffer, value.offset, count);
        into.position(at + count);
      }
      checkOpen();
      return length;
    } finally {
      unpin(state, context);
    }
  }

  @Override
  public <R extends @Nullable Object> @Nullable R read(
      ReadOptions options, byte[] key, ValueReader<R> reader) {
    requireLookup(options);
    ReadContext context = ReadContext.acquireFrom(contexts);
    ReadState state = pin(context, options);
    try {
      context.key().set(key, context.sequence());
      if (!find(state, context, options)) {
        checkOpen();
        return null;
      }
      R result = passTo(context, reader);
      checkOpen();
      return result;
    } finally {
      unpin(state, context);
    }
  }

  @Override
  public @Nullable PinnedValue pinned(ReadOptions options, ByteBuffer key) {
    requireLookup(options);
    ReadContext context = ReadContext.acquireFrom(contexts);
    ReadState state = pin(context, options);
    try {
      context.key().set(key, context.sequence());
      boolean found = find(state, context, options);
      checkOpen();
      if (!found) {
        return null;
      }
      ValueRef value = context.value();
      if (value.pin == null) {
        tables.copy(value);
      }
      return new PinnedValueImpl(value);
    } finally {
      unpin(state, context);
    }
  }

  @Override
  public List<byte @Nullable []> getAll(ReadOptions options, List<byte[]> keys) {
    requireLookup(options);
    byte[][] sought = keys.toArray(new byte[0][]); // once: the list may be slow, or change
    byte[][] values = new byte[sought.length][];
    MultiGetContext several = new MultiGetContext(tables);
    ReadContext context = ReadContext.acquireFrom(contexts);
    ReadState state = pin(context, options);
    context.setSeveral(several);
    try {
      for (WantedKey wanted : inOrder(sought, state.version().comparator().userComparator())) {
        context.key().set(wanted.key, context.sequence());
        values[wanted.at] = find(state, context, options) ? context.value().copy() : null;
        context.value().release();
      }
      checkOpen();
      return Collections.unmodifiableList(Arrays.asList(values));
    } finally {
      context.setSeveral(null);
      several.release();
      unpin(state, context);
    }
  }

  /** A key of {@code getAll}, and where in the list it is. */
  private record WantedKey(byte[] key, int at) {}

  private static WantedKey[] inOrder(byte[][] keys, UserKeyComparator order) {
    WantedKey[] wanted = new WantedKey[keys.length];
    for (int i = 0; i < keys.length; i++) {
      wanted[i] = new WantedKey(Objects.requireNonNull(keys[i], "key"), i);
    }
    Arrays.sort(wanted, (a, b) -> order.compare(a.key, b.key));
    return wanted;
  }

  /** Refuses options that have a meaning only for scans. */
  public static void requireLookup(ReadOptions options) {
    if (options.isScanOnly()) {
      throw new IllegalArgumentException(
          "bounds, a prefix and descending are for scans, and not for the lookup of one key: "
              + options);
    }
  }

  private static <R extends @Nullable Object> R passTo(ReadContext context, ValueReader<R> reader) {
    BufferSlice slice = context.slice();
    ValueRef value = context.value();
    slice.point(value.buffer, value.offset, value.length);
    try {
      return reader.read(slice);
    } finally {
      slice.revoke();
    }
  }

  private static ReadFlags flags(ReadOptions options) {
    return ReadFlags.of(options.verifyChecksums(), options.fillCache());
  }

  private boolean find(ReadState state, ReadContext context, ReadOptions options) {
    try {
      int result = points.get(state, context, flags(options));
      if (options.keysOnly()) {
        context.value().length = 0;
      }
      return result == LookupResult.FOUND;
    } catch (RuntimeException e) {
      if (closed) {
        throw new DBClosedException("the database was closed during the read", e);
      }
      tellIfDamage(e);
      throw e;
    }
  }

  /** Tells listeners of the failure of a read, if it is damage. */
  public void tellIfDamage(Throwable failure) {
    events.readFailed(failure);
  }

  /**
   * Returns a cursor, which pins its view until it is closed or the database is. If the program
   * loses it without closing it, {@link #releaseCollectedIterators} releases the view.
   */
  @Override
  public DBIterator iterator(ReadOptions options) {
    return userIterator(options);
  }

  @Override
  public void forEach(ReadOptions options, BiConsumer<? super Slice, ? super Slice> action) {
    if (options.descending()) {
      DBReader.super.forEach(options, action);
      return;
    }
    try (DBIteratorImpl iterator = userIterator(options)) {
      iterator.forEach(action);
    }
  }

  private DBIteratorImpl userIterator(ReadOptions options) {
    if (options.descending()) {
      throw new IllegalArgumentException(
          "a cursor moves both ways: descending is for entries, stream and forEach");
    }
    iterators.releaseCollected();
    ReadContext context = ReadContext.acquireForIteratorFrom(contexts);
    ReadState state = pin(context, options);
    PinnedView view = null;
    try {
      view = new PinnedView(state, contexts, context);
      DBIter cursor = view.open(tables, options, cursorParts);
      DBIteratorImpl iterator = new DBIteratorImpl(cursor, view, iterators, options.keysOnly());
      iterators.add(iterator, view);
      return iterator;
    } catch (Throwable e) { // without an Undo, because reads open many iterators
      if (view == null) {
        unpin(state, context);
      } else {
        view.close();
      }
      tellIfDamage(e);
      throw e;
    }
  }

  /**
   * Returns a view of the newest state for the check of a conditional write; the caller closes it.
   */
  public ValidationView validationView() {
    long since = snapshots.lastSequence();
    ReadContext context = ReadContext.acquireFrom(contexts);
    ReadState state = pin(context, ReadOptions.DEFAULT);
    try {
      return new ValidationView(states, state, points, tables, contexts, context, since);
    } catch (Throwable e) {
      unpin(state, context);
      throw e;
    }
  }

  /** Returns a mark of this moment. */
  public ReadMark mark() {
    return states.withCurrent(ReadMark::new);
  }

  /**
   * Returns what {@code use} returns for the current version, which it borrows. Tells listeners of
   * damage that {@code use} meets.
   */
  public <R extends @Nullable Object> R withVersion(Function<Version, R> use) {
    try {
      return states.withCurrent(state -> use.apply(state.version()));
    } catch (CorruptionException e) {
      tellIfDamage(e);
      throw e;
    }
  }

  /** Calls {@code use} with the memtables since {@code mark}. */
  public <R> R withMemTablesSince(ReadMark mark, Function<RecentMemTables, R> use) {
    ReadContext context = ReadContext.acquireFrom(contexts);
    try {
      RecentMemTables recent = new RecentMemTables(states, mark, context);
      try {
        return use.apply(recent);
      } finally {
        recent.unpin();
      }
    } finally {
      context.releaseTo(contexts);
    }
  }

  /**
   * Pins the state to read from, and sets the sequence number of the context. Releases the context
   * if it throws.
   */
  private ReadState pin(ReadContext context, ReadOptions options) {
    try {
      Snapshot snapshot = options.snapshot();
      if (snapshot == null) {
        return states.acquire(context.stripe(), context, readSequence);
      }
      ReadState state = stateOf(snapshot, states.acquire(context.stripe()), context.stripe());
      context.setSequence(SnapshotList.sequenceOf(snapshot));
      return state;
    } catch (Throwable e) { // without an Undo, because a get allocates nothing
      context.releaseTo(contexts);
      throw e;
    }
  }

  /** Returns the state that a snapshot reads from, pinned instead of {@code current}. */
  private ReadState stateOf(Snapshot snapshot, ReadState current, int stripe) {
    boolean keepsNone = false;
    try {
      ReadState kept = snapshots.pinKept(snapshot, stripe);
      keepsNone = kept == null;
      return kept == null ? current : kept;
    } finally {
      if (!keepsNone) {
        current.unpin(stripe);
      }
    }
  }

  private void unpin(ReadState state, ReadContext context) {
    try {
      context.value().release();
    } finally {
      state.unpin(context.stripe());
      context.releaseTo(contexts);
    }
  }

  @Override
  public DBComparator comparator() {
    return tables.comparator().userComparator().order();
  }

  /** Returns a snapshot of the newest state, which the caller closes. */
  public SnapshotImpl snapshot() {
    return snapshots.acquire(this);
  }

  /** Returns the number of iterators that are not closed, as far as the collector knows. */
  public int openIterators() {
    return iterators.count();
  }

  /** Returns how many iterators were garbage-collected without having been closed. */
  public long leakedIterators() {
    return iterators.leaked();
  }

  /** Returns the oldest iterators that are not closed, the oldest first, at most {@code limit}. */
  public List<DBStats.OpenIterator> oldestIterators(int limit) {
    return iterators.oldest(limit);
  }

  /** Returns the statistics of reads. */
  public DBStats.Reads reads() {
    return lookups.reads(iterators.opened());
  }

  /** Releases what iterators pin that were garbage-collected without having been closed. */
  public void releaseCollectedIterators() {
    iterators.releaseCollected();
  }

  /** Returns the directory of the database, for messages. */
  public String database() {
    return events.database();
  }

  private void checkOpen() {
    if (closed) {
      throw new DBClosedException("the database was closed during the read");
    }
  }

  /**
   * Ends all reads: iterators are revoked, snapshots throw, running lookups end with their result
   * or with {@link DBClosedException}, and the last state is freed after they have released it. A
   * second call does nothing.
   */
  @Override
  public void close() {
    try (contexts;
        states;
        snapshots;
        iterators) {
      closed = true;
    }
  }
}
