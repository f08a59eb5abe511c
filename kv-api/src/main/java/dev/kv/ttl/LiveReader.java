package dev.kv.ttl;

import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.ReadOptions;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.bytes.ValueReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Reads the values that have not expired, without their times. */
class LiveReader implements DBReader {
  private static final byte[] EMPTY = {};

  private final DBReader reader;
  private final LongSupplier clock;

  /**
   * Creates the reader.
   *
   * @param reader reads the stored values
   * @param clock the time in milliseconds at which a value must not have expired
   */
  LiveReader(DBReader reader, LongSupplier clock) {
    this.reader = reader;
    this.clock = clock;
  }

  /** Returns the value, or null if there is none or it has expired at {@code time}. */
  static byte @Nullable [] live(byte @Nullable [] stored, long time) {
    return stored == null || !Expiry.isLive(Slice.of(stored), time)
        ? null
        : Arrays.copyOfRange(stored, Expiry.LENGTH, stored.length);
  }

  /** Returns the options for the stored values, which are needed for their times. */
  private static ReadOptions inner(ReadOptions options) {
    boolean timed = Objects.requireNonNull(options, "options").snapshot() instanceof TimedSnapshot;
    if (!timed && !options.keysOnly()) {
      return options;
    }
    ReadOptions.Builder inner = options.toBuilder().keysOnly(false);
    if (options.snapshot() instanceof TimedSnapshot ours) {
      inner.snapshot(ours.snapshot());
    }
    return inner.build();
  }

  /** Returns the moment of a read that has been made. */
  private long timeOf(ReadOptions options) {
    return options.snapshot() instanceof TimedSnapshot timed ? timed.time() : clock.getAsLong();
  }

  @Override
  public final List<byte @Nullable []> getAll(ReadOptions options, List<byte[]> keys) {
    List<byte @Nullable []> stored = reader.getAll(inner(options), keys);
    long time = timeOf(options);
    List<byte @Nullable []> values = new ArrayList<>(stored.size());
    for (byte[] each : stored) {
      byte[] value = live(each, time);
      values.add(value != null && options.keysOnly() ? EMPTY : value);
    }
    return Collections.unmodifiableList(values);
  }

  @Override
  @SuppressWarnings("NullAway") // null is the result if the entry has expired
  public final <R extends @Nullable Object> @Nullable R read(
      ReadOptions options, byte[] key, ValueReader<R> reader) {
    Objects.requireNonNull(reader, "reader");
    return this.reader.read(
        inner(options),
        key,
        stored ->
            Expiry.isLive(stored, timeOf(options))
                ? reader.read(stored.suffix(options.keysOnly() ? stored.length() : Expiry.LENGTH))
                : null);
  }

  @Override
  public final DBIterator iterator(ReadOptions options) {
    DBIterator cursor = reader.iterator(inner(options));
    long time = timeAfterOpen(() -> timeOf(options), cursor::close);
    return new LiveIterator(cursor, time, options.keysOnly());
  }

  /** Returns the time, and closes what was opened before if the clock throws. */
  static long timeAfterOpen(LongSupplier clock, Runnable close) {
    try {
      return clock.getAsLong();
    } catch (Throwable e) {
      close.run();
      throw e;
    }
  }

  @Override
  public final DBComparator comparator() {
    return reader.comparator();
  }
}
