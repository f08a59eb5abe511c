package dev.kv.core.transaction;

import dev.kv.DBIterator;
import dev.kv.KeyValueStore;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.TransactionOptions.Isolation;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Escape;
import dev.kv.bytes.Slice;
import dev.kv.bytes.ValueReader;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.memory.Undo;
import dev.kv.core.read.DatabaseReader;
import dev.kv.core.read.ReadMark;
import dev.kv.core.read.ReadRange;
import dev.kv.core.read.SnapshotImpl;
import dev.kv.core.read.ValidationView;
import dev.kv.core.transaction.WriteSet.Write;
import dev.kv.core.write.WriteOutcome;
import dev.kv.errors.ConflictException;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.OperationTooLargeException;
import dev.kv.errors.TransactionTooOldException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An optimistic transaction: a snapshot, the writes on top of it, and the keys and ranges that it
 * depends on.
 *
 * <p>The commit first asks the leader to check the memtables since the beginning: a short
 * transaction reads no table. If one of them has been flushed, this thread searches memtables and
 * tables, in a {@link ValidationView}, and leaves to the leader what was written since. The same if
 * content has changed outside the log, such as a deleted range.
 */
final class TransactionImpl implements Transaction {
  private static final byte[] NO_BYTES = {};

  private final Transactions parts;
  private final KeyValueStore store;
  private final TransactionOptions options;
  private final SnapshotImpl snapshot;
  private final OpenTransaction registration;
  private final long snapshotSequence;
  private final ReadOptions fromSnapshot;
  private final ReadMark mark;
  private final WriteSet writes;
  private final ReadSet reads;
  private final List<TransactionIterator> cursors = new ArrayList<>();
  private final boolean serializable;
  private long bytes;
  private boolean readForUpdate;
  private boolean ended;

  /**
   * Begins a transaction.
   *
   * @param snapshot the state to read, which the transaction closes
   * @param mark was taken before the snapshot
   */
  TransactionImpl(
      Transactions parts,
      KeyValueStore store,
      TransactionOptions options,
      SnapshotImpl snapshot,
      ReadMark mark) {
    this.parts = parts;
    this.store = store;
    this.options = options;
    this.snapshot = snapshot;
    this.snapshotSequence = snapshot.sequence();
    this.mark = mark;
    fromSnapshot = ReadOptions.at(snapshot);
    writes = new WriteSet(parts.order());
    reads = new ReadSet(parts.order());
    serializable = options.isolation() == Isolation.SERIALIZABLE;
    registration = parts.register(this, snapshot, options.maxAge().toNanos());
  }

  /** Begins a lookup; returns the options for the read of the snapshot. */
  private ReadOptions beginLookup(ReadOptions options) {
    ReadOptions read = fromSnapshot(options);
    DatabaseReader.requireLookup(options);
    beginOperation();
    return read;
  }

  @SuppressWarnings("ReferenceEquality") // the usual ones, without a comparison of each option
  private ReadOptions fromSnapshot(ReadOptions options) {
    if (options == ReadOptions.DEFAULT) {
      return fromSnapshot;
    }
    if (options.snapshot() != null) {
      throw new IllegalArgumentException("a transaction reads from its own snapshot: " + options);
    }
    return options.toBuilder().snapshot(snapshot).build();
  }

  @Override
  public byte @Nullable [] get(ReadOptions options, byte[] key) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(key, "key");
    ReadOptions read = beginLookup(options);
    if (serializable) {
      dependOn(key);
    }
    return ownOrSnapshot(read, key);
  }

  @Override
  public byte @Nullable [] getForUpdate(byte[] key) {
    Objects.requireNonNull(key, "key");
    beginOperation();
    dependOn(key);
    readForUpdate = true;
    return ownOrSnapshot(fromSnapshot, key);
  }

  @Override
  public List<byte @Nullable []> getAll(ReadOptions options, List<byte[]> keys) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(keys, "keys");
    ReadOptions read = beginLookup(options);
    if (serializable) {
      dependOn(keys);
    }
    List<byte[]> others = new ArrayList<>();
    for (byte[] key : keys) {
      if (writes.get(key) == null) {
        others.add(key);
      }
    }
    Iterator<byte @Nullable []> found =
        reading(() -> parts.reader().getAll(read, others)).iterator();
    List<byte @Nullable []> values = new ArrayList<>(keys.size());
    for (byte[] key : keys) {
      Write own = writes.get(key);
      values.add(own == null ? found.next() : copyOf(own, read));
    }
    return Collections.unmodifiableList(values);
  }

  private byte @Nullable [] ownOrSnapshot(ReadOptions read, byte[] key) {
    Write own = writes.get(key);
    return own == null ? reading(() -> parts.reader().get(read, key)) : copyOf(own, read);
  }

  /** Reads the snapshot; throws if the transaction was ended for its age meanwhile. */
  private <R extends @Nullable Object> R reading(Supplier<R> read) {
    R result = unlessExpired(read);
    checkNotExpired();
    return result;
  }

  private <R extends @Nullable Object> R unlessExpired(Supplier<R> read) {
    try {
      return read.get();
    } catch (RuntimeException e) {
      checkNotExpired();
      throw e;
    }
  }

  private static byte @Nullable [] copyOf(Write own, ReadOptions read) {
    byte[] value = own.value();
    return value == null ? null : read.keysOnly() ? NO_BYTES : value.clone();
  }

  @Override
  public <R extends @Nullable Object> @Nullable R read(
      ReadOptions options, byte[] key, ValueReader<R> reader) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(reader, "reader");
    ReadOptions read = beginLookup(options);
    if (serializable) {
      dependOn(key);
    }
    Write own = writes.get(key);
    if (own != null) {
      byte[] value = copyOf(own, read);
      return value == null ? null : reader.read(Slice.of(value));
    }
    return reading(() -> parts.reader().read(read, key, reader));
  }

  @Override
  public DBComparator comparator() {
    return parts.reader().comparator();
  }

  private void dependOn(byte[] key) {
    if (!reads.contains(key)) {
      reserve(Write.cost(key, null));
      reads.add(key.clone());
    }
  }

  /** Adds all keys, or, if that is too much, none. */
  private void dependOn(List<byte[]> keys) {
    NavigableSet<byte[]> added = new TreeSet<>(parts.order()::compare);
    long more = 0;
    for (byte[] key : keys) {
      if (!reads.contains(key) && added.add(key.clone())) {
        more += Write.cost(key, null);
      }
    }
    reserve(more);
    added.forEach(reads::add);
  }

  /** Adds a range that a cursor has left; if that is too much, the next operation throws. */
  private void dependOn(ReadRange range) {
    byte[] low = range.low();
    byte[] high = range.high();
    bytes += Write.OVERHEAD + (low == null ? 0L : low.length) + (high == null ? 0L : high.length);
    reads.add(range);
  }

  @Override
  public Transaction put(byte[] key, byte[] value) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    beginOperation();
    return add(key.clone(), value.clone());
  }

  @Override
  public Transaction delete(byte[] key) {
    Objects.requireNonNull(key, "key");
    beginOperation();
    return add(key.clone(), null);
  }

  private Transaction add(byte[] key, byte @Nullable [] value) {
    InternalKey.requireWritable(key.length);
    reserve(Write.cost(key, value) - writes.replacedBytes(key));
    writes.add(key, value);
    return this;
  }

  @Override
  public DBIterator iterator(ReadOptions options) {
    Objects.requireNonNull(options, "options");
    beginOperation();
    ReadOptions read = fromSnapshot(options);
    KeyBounds bounds = KeyBounds.of(read, parts.order());
    DBIterator base = unlessExpired(() -> parts.reader().iterator(read));
    try (Undo undo = new Undo(base::close)) {
      checkNotExpired();
      TransactionIterator cursor =
          new TransactionIterator(
              base,
              writes.range(bounds),
              writes.show(),
              parts.order(),
              this,
              new VisitedRange(bounds, parts.order(), serializable ? this::dependOn : null),
              read.keysOnly());
      cursors.add(cursor);
      undo.cancel();
      return cursor;
    }
  }

  /** Checks that a cursor of this transaction may move. */
  void checkCursor() {
    beginOperation();
    reserve(0);
  }

  /**
   * Called by a cursor of this transaction before it is closed. If its last range cannot be ended
   * now, the commit does it.
   */
  void closing(TransactionIterator cursor) {
    if (!ended) {
      try {
        cursor.endVisit();
      } catch (DBClosedException e) {
        return; // the commit throws it
      }
      cursors.remove(cursor);
      if (cursors.isEmpty()) {
        writes.hide();
      }
    }
  }

  private void beginOperation() {
    if (ended) {
      throw new IllegalStateException("the transaction has ended: it was committed or closed");
    }
    if (registration.isTooOld()) {
      parts.expire(registration);
    }
    checkNotExpired();
  }

  /** Throws if the limit of the age has ended the transaction; a commit or a close is no limit. */
  private void checkNotExpired() {
    if (!ended && registration.isEnded()) {
      close();
      throw tooOld();
    }
  }

  private TransactionTooOldException tooOld() {
    return new TransactionTooOldException(
        "the transaction is older than its limit of "
            + options.maxAge()
            + "; nothing was written: do less in one transaction, or raise the limit");
  }

  private void reserve(long more) {
    if (bytes + more > options.maxBytes()) {
      parts.countTooLarge();
      throw new OperationTooLargeException(
          "the transaction has "
              + bytes
              + " bytes, and "
              + more
              + " more exceed its limit of "
              + options.maxBytes()
              + "; do less in one transaction, or raise the limit");
    }
    bytes += more;
  }

  @Override
  public KeyValueStore store() {
    return store;
  }

  @Override
  public Snapshot snapshot() {
    beginOperation();
    return snapshot;
  }

  @Override
  public void commit() {
    beginOperation();
    if (!registration.beginCommit()) {
      close();
      throw tooOld();
    }
    try {
      boolean writing = !writes.isEmpty() || readForUpdate;
      if (writing) {
        parts.commits().checkWrites();
      }
      for (TransactionIterator cursor : cursors) {
        cursor.endVisit();
      }
      if (writing) {
        requireSnapshot();
        byte[] changed = write();
        if (changed != null) {
          throw conflict(changed);
        }
      }
      parts.countCommit();
    } finally {
      close();
    }
  }

  /** Without the snapshot, a compaction may have dropped the traces of later writes. */
  private void requireSnapshot() {
    if (!snapshot.isOpen()) {
      throw new IllegalStateException(
          "nothing was written: the snapshot of the transaction was closed before the commit");
    }
  }

  private ConflictException conflict(byte[] changed) {
    parts.countConflict();
    return new ConflictException(
        "the transaction was not committed: another write has changed the key '"
            + Escape.shown(changed)
            + "' since it began",
        changed);
  }

  /** Checks and writes; returns null, or a key that another write has changed. */
  private byte @Nullable [] write() {
    EncodedBatch batch = writes.toBatch();
    boolean sync = options.writeOptions().sync();
    TransactionCheck check =
        new TransactionCheck(
            reads.keysWith(writes), reads.ranges(), snapshotSequence, parts.order());
    WriteOutcome outcome =
        parts
            .reader()
            .withMemTablesSince(
                mark,
                recent ->
                    parts.commits().write(batch, sync, check.since(recent, snapshotSequence)));
    while (outcome == WriteOutcome.STALE) {
      try (ValidationView view = parts.reader().validationView()) {
        boolean holds =
            parts.checkInTables(
                () ->
                    check.holdsInBase(view)
                        && (!view.isChangedOutsideLogSince(mark)
                            || check.isEqualInNewest(parts.reader(), fromSnapshot)));
        outcome =
            holds
                ? parts
                    .commits()
                    .write(batch, sync, check.since(view.recent(), view.sinceSequence()))
                : WriteOutcome.CONFLICT;
      }
    }
    return outcome == WriteOutcome.DONE ? null : check.changedKey();
  }

  @Override
  public void close() {
    if (!ended) {
      ended = true;
      parts.end(registration);
      cursors.forEach(TransactionIterator::close);
    }
  }
}
