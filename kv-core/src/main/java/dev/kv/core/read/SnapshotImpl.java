package dev.kv.core.read;

import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.PinnedValue;
import dev.kv.bytes.Slice;
import dev.kv.bytes.ValueReader;
import dev.kv.core.memory.IntrusiveList;
import dev.kv.errors.DBClosedException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot: a sequence number that stays readable until the snapshot is closed. A member of a
 * {@link SnapshotList}. If the tables change outside the log meanwhile, it keeps the read state
 * from before, because a number cannot show what is no longer there.
 */
public final class SnapshotImpl extends IntrusiveList.Element<SnapshotImpl> implements Snapshot {
  private final SnapshotList list;
  private final DBReader reader;
  private final long sequence;

  /**
   * The state to read from, with the snapshot as a keeper; null for the current one. Guarded by the
   * list.
   */
  @Nullable ReadState kept;

  SnapshotImpl(SnapshotList list, DBReader reader, long sequence) {
    this.list = list;
    this.reader = reader;
    this.sequence = sequence;
  }

  SnapshotList list() {
    return list;
  }

  /**
   * Returns the sequence number without checking whether the database or the snapshot is closed.
   */
  long rawSequence() {
    return sequence;
  }

  @Override
  public long sequence() {
    if (list.isClosed()) {
      throw new DBClosedException("the snapshot's database is closed");
    }
    return sequence;
  }

  /** Returns true unless the snapshot was closed; the close of the database does not count. */
  public boolean isOpen() {
    return list.isOpen(this);
  }

  /** Returns the options for a read of the database from this snapshot. */
  private ReadOptions here(ReadOptions options) {
    Snapshot other = Objects.requireNonNull(options, "options").snapshot();
    if (other == this) {
      return options;
    }
    if (other != null) {
      throw new IllegalArgumentException(
          "a snapshot reads its own state, and not that of " + other);
    }
    return options.toBuilder().snapshot(this).build();
  }

  @Override
  public byte @Nullable [] get(ReadOptions options, byte[] key) {
    return reader.get(here(options), Objects.requireNonNull(key, "key"));
  }

  @Override
  public int get(ReadOptions options, ByteBuffer key, ByteBuffer into) {
    Objects.requireNonNull(key, "key");
    return reader.get(here(options), key, Objects.requireNonNull(into, "into"));
  }

  @Override
  public List<byte @Nullable []> getAll(ReadOptions options, List<byte[]> keys) {
    return reader.getAll(here(options), Objects.requireNonNull(keys, "keys"));
  }

  @Override
  public <R extends @Nullable Object> @Nullable R read(
      ReadOptions options, byte[] key, ValueReader<R> user) {
    Objects.requireNonNull(key, "key");
    return reader.read(here(options), key, Objects.requireNonNull(user, "reader"));
  }

  @Override
  public @Nullable PinnedValue pinned(ReadOptions options, ByteBuffer key) {
    return reader.pinned(here(options), Objects.requireNonNull(key, "key"));
  }

  @Override
  public DBIterator iterator(ReadOptions options) {
    return reader.iterator(here(options));
  }

  @Override
  public void forEach(ReadOptions options, BiConsumer<? super Slice, ? super Slice> action) {
    reader.forEach(here(options), Objects.requireNonNull(action, "action"));
  }

  @Override
  public DBComparator comparator() {
    return reader.comparator();
  }

  @Override
  public void close() {
    list.remove(this);
  }

  @Override
  public String toString() {
    return "Snapshot[" + sequence + "]";
  }
}
