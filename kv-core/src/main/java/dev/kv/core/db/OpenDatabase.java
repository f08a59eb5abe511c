package dev.kv.core.db;

import dev.kv.DB;
import dev.kv.DBClosedException;
import dev.kv.DBComparator;
import dev.kv.DBIterator;
import dev.kv.DBStats;
import dev.kv.PinnedValue;
import dev.kv.Range;
import dev.kv.ReadOptions;
import dev.kv.Slice;
import dev.kv.Snapshot;
import dev.kv.ValueReader;
import dev.kv.core.checkpoint.Checkpoint;
import dev.kv.core.event.Events;
import dev.kv.core.read.DatabaseReader;
import dev.kv.core.read.SnapshotList;
import dev.kv.env.Env;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The reading half of an open database. Delegates every call to its parts. */
abstract sealed class OpenDatabase implements DB permits DBImpl, ReadOnlyDB {
  private final DatabaseReader reader;
  private final SnapshotList snapshots;
  private final DatabaseStats stats;
  private final DBComparator comparator;

  OpenDatabase(
      DatabaseReader reader, SnapshotList snapshots, DatabaseStats stats, DBComparator comparator) {
    this.reader = reader;
    this.snapshots = snapshots;
    this.stats = stats;
    this.comparator = comparator;
  }

  /** Returns true if {@link #close} has been called. */
  abstract boolean isClosed();

  /** Throws if the calling thread runs the listener: the close would wait for that thread. */
  static void requireNotInListener(Events events) {
    if (events.isDelivering()) {
      throw new IllegalStateException("a listener must not close the database that calls it");
    }
  }

  /** Returns the environment of the database. */
  abstract Env env();

  @Override
  public final long checkpoint(Path directory) {
    Objects.requireNonNull(directory, "directory");
    checkOpen();
    return Checkpoint.write(env(), directory, this::suspendDeletions);
  }

  final void checkOpen() {
    if (isClosed()) {
      throw new DBClosedException("the database is closed");
    }
  }

  @Override
  public final byte @Nullable [] get(ReadOptions options, byte[] key) {
    Objects.requireNonNull(options, "options");
    return reader.get(options, Objects.requireNonNull(key, "key"));
  }

  @Override
  public final List<byte @Nullable []> getAll(ReadOptions options, List<byte[]> keys) {
    Objects.requireNonNull(options, "options");
    return reader.getAll(options, Objects.requireNonNull(keys, "keys"));
  }

  @Override
  public final int get(ReadOptions options, ByteBuffer key, ByteBuffer into) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(key, "key");
    return reader.get(options, key, Objects.requireNonNull(into, "into"));
  }

  @Override
  public final <R extends @Nullable Object> @Nullable R read(
      ReadOptions options, byte[] key, ValueReader<R> user) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(key, "key");
    return reader.read(options, key, Objects.requireNonNull(user, "reader"));
  }

  @Override
  public final @Nullable PinnedValue pinned(ReadOptions options, ByteBuffer key) {
    Objects.requireNonNull(options, "options");
    return reader.pinned(options, Objects.requireNonNull(key, "key"));
  }

  @Override
  public final DBIterator iterator(ReadOptions options) {
    return reader.iterator(Objects.requireNonNull(options, "options"));
  }

  @Override
  public final void forEach(ReadOptions options, BiConsumer<? super Slice, ? super Slice> action) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(action, "action");
    if (options.descending()) {
      DB.super.forEach(options, action);
    } else {
      reader.forEach(options, action);
    }
  }

  @Override
  public final Snapshot snapshot() {
    return snapshots.acquire();
  }

  @Override
  public final DBComparator comparator() {
    return comparator;
  }

  @Override
  public final @Nullable String property(String name) {
    Objects.requireNonNull(name, "name");
    checkOpen();
    return stats.property(name);
  }

  @Override
  public final DBStats stats() {
    checkOpen();
    return stats.stats();
  }

  @Override
  public final long[] approximateSizes(List<Range> ranges) {
    Objects.requireNonNull(ranges, "ranges");
    checkOpen();
    long[] sizes = stats.approximateSizes(ranges);
    checkOpen();
    return sizes;
  }

  /** Returns the directory and whether the database is closed, for log messages. */
  @Override
  public final String toString() {
    return "DB[" + reader.database() + (isClosed() ? ", closed]" : "]");
  }
}
