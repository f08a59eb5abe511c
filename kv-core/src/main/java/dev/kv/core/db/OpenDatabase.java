package dev.kv.core.db;

import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.PinnedValue;
import dev.kv.bytes.Slice;
import dev.kv.bytes.ValueReader;
import dev.kv.core.event.Events;
import dev.kv.core.read.DatabaseReader;
import dev.kv.errors.DBClosedException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The reading half of an open database. Delegates every call to its parts. */
abstract sealed class OpenDatabase implements DBReader permits DBImpl, ReadOnlyDBImpl {
  private final DatabaseReader reader;

  OpenDatabase(DatabaseReader reader) {
    this.reader = reader;
  }

  /** Returns true if the close has been called. */
  abstract boolean isClosed();

  /** Throws if the calling thread runs the listener: the close would wait for that thread. */
  static void requireNotInListener(Events events) {
    if (events.isDelivering()) {
      throw new IllegalStateException("a listener must not close the database that calls it");
    }
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
    reader.forEach(options, action);
  }

  /** Returns a snapshot, which the caller closes. */
  public final Snapshot snapshot() {
    return reader.snapshot();
  }

  @Override
  public final DBComparator comparator() {
    return reader.comparator();
  }

  /** Returns the directory and whether the database is closed, for log messages. */
  @Override
  public final String toString() {
    return "DB[" + reader.database() + (isClosed() ? ", closed]" : "]");
  }
}
