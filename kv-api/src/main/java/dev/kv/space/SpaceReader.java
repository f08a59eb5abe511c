package dev.kv.space;

import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.ReadOptions;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Escape;
import dev.kv.bytes.PinnedValue;
import dev.kv.bytes.ValueReader;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads the keys with one prefix, without the prefix. */
class SpaceReader implements DBReader {
  private final DBReader reader;
  final KeyPrefix prefix;

  SpaceReader(DBReader reader, KeyPrefix prefix) {
    this.reader = reader;
    this.prefix = prefix;
  }

  /** Returns the key with the prefix. */
  byte[] whole(byte[] key) {
    return prefix.join(key);
  }

  /** Returns the keys with the prefix. */
  final List<byte[]> whole(List<byte[]> keys) {
    return Objects.requireNonNull(keys, "keys").stream().map(this::whole).toList();
  }

  /** Returns the options for the lookup of a whole key. */
  private static ReadOptions whole(ReadOptions options) {
    return Objects.requireNonNull(options, "options").snapshot() instanceof SpaceSnapshot ours
        ? options.toBuilder().snapshot(ours.snapshot()).build()
        : options;
  }

  @Override
  public final byte @Nullable [] get(ReadOptions options, byte[] key) {
    return reader.get(whole(options), whole(key));
  }

  @Override
  public final List<byte @Nullable []> getAll(ReadOptions options, List<byte[]> keys) {
    return reader.getAll(whole(options), whole(keys));
  }

  /** {@inheritDoc} In a space, it allocates an array for the key. */
  @Override
  public final int get(ReadOptions options, ByteBuffer key, ByteBuffer into) {
    return reader.get(whole(options), prefix.join(key), into);
  }

  @Override
  public final <R extends @Nullable Object> @Nullable R read(
      ReadOptions options, byte[] key, ValueReader<R> reader) {
    return this.reader.read(whole(options), whole(key), reader);
  }

  @Override
  public final @Nullable PinnedValue pinned(ReadOptions options, ByteBuffer key) {
    return reader.pinned(whole(options), prefix.join(key));
  }

  /** Returns a cursor over the keys with the prefix, within bounds without it. */
  @Override
  public final DBIterator iterator(ReadOptions options) {
    Objects.requireNonNull(options, "options");
    byte[] lower = options.lowerBound();
    byte[] upper = options.upperBound();
    byte[] inner = options.prefix();
    ReadOptions bounded =
        whole(options).toBuilder()
            .lowerBound(lower == null ? null : prefix.join(lower))
            .upperBound(upper == null ? null : prefix.join(upper))
            .prefix(inner == null ? prefix.bytes() : prefix.join(inner))
            .build();
    return new SpaceIterator(reader.iterator(bounded), prefix);
  }

  @Override
  public final DBComparator comparator() {
    return reader.comparator();
  }

  /** Returns the prefix and what it is a part of, for logs. */
  @Override
  public String toString() {
    return "Space['" + Escape.shown(prefix.bytes()) + "' of " + reader + "]";
  }
}
