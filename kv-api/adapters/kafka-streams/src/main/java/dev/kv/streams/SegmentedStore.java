package dev.kv.streams;

import dev.kv.DBIterator;
import dev.kv.WriteBatch;
import dev.kv.env.Env;
import dev.kv.errors.DBException;
import dev.kv.streams.database.StoreDatabase;
import dev.kv.streams.database.StoreKind;
import dev.kv.streams.database.TimedKey;
import dev.kv.streams.scan.CursorScan;
import dev.kv.streams.scan.IndexScan;
import dev.kv.streams.scan.SegmentScan;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collection;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A store whose entries are in segments of time: what window and session stores have in common.
 *
 * <p>An entry is stored as {@code 01 segment entry}, where the segment is the time of the entry
 * divided by the interval of the segments, in 8 bytes, and the entry has the form of {@link
 * TimedKey}. So a segment is a range of keys, and old segments are deleted together. A store with
 * an index has {@code 02 time key rest} in addition, without a value.
 *
 * <p>The interval is that of the supplier, because the cache of Streams merges its entries with
 * those of the store in the order of these segments. If an open has another interval than the one
 * before, because the retention was changed, it moves the entries to their new segments.
 */
abstract class SegmentedStore extends KvStateStore {
  /** Up to this number of entries, deleting them one by one costs less than deleting a range. */
  private static final int FEW = 1000;

  private final TimedKey form;
  private final boolean indexed;
  private final boolean windowsByTime;
  private final long retention;
  private final long interval;

  /**
   * The greatest time of an entry that was written or restored with this object. It is kept when
   * the store is closed and initialized again.
   */
  private volatile long streamTime = -1;

  /** The segments before this one were deleted. */
  private long expired;

  /**
   * Creates a store, which is opened later.
   *
   * @param retention how long an entry is kept, in milliseconds
   * @param interval the milliseconds of a segment
   * @param env the file system, or null for that of the machine
   */
  SegmentedStore(String name, StoreKind kind, long retention, long interval, @Nullable Env env) {
    super(name, kind, env);
    this.form = kind.timedKey();
    this.indexed = kind.isIndexed();
    this.windowsByTime = kind.structure() == StoreKind.Structure.WINDOW_BY_TIME;
    this.retention = retention;
    this.interval = interval;
  }

  @Override
  final void prepare(StoreDatabase opened) {
    opened.setSegmentInterval(interval, stored -> data(TimedKey.entry(stored)));
  }

  private byte[] data(byte[] entry) {
    return TimedKey.stored(StoreDatabase.DATA, form.time(entry) / interval, entry);
  }

  private byte[] index(byte[] entry) {
    byte[] timeFirst = form.timeFirst(entry);
    return ByteBuffer.allocate(1 + timeFirst.length)
        .put(StoreDatabase.INDEX)
        .put(timeFirst)
        .array();
  }

  /** Sets or deletes an entry, unless it is expired. */
  final void put(byte[] entry, byte @Nullable [] value) {
    StoreDatabase opened = open();
    long time = form.time(entry);
    streamTime = Math.max(streamTime, time);
    if (time / interval < firstLiveSegment()) {
      countDropped();
      return;
    }
    write(opened, entry, value);
    expire(opened);
  }

  private void write(StoreDatabase opened, byte[] entry, byte @Nullable [] value) {
    if (!indexed) {
      opened.put(data(entry), value);
      return;
    }
    WriteBatch batch = WriteBatch.create();
    add(batch, entry, value);
    opened.write(batch);
  }

  private void add(WriteBatch batch, byte[] entry, byte @Nullable [] value) {
    StoreDatabase.add(batch, data(entry), value);
    if (indexed) {
      StoreDatabase.add(batch, index(entry), value == null ? null : new byte[0]);
    }
  }

  final void remove(byte[] entry) {
    streamTime = Math.max(streamTime, form.time(entry));
    write(open(), entry, null);
  }

  /** Returns the value of an entry, or null if there is none or it is expired. */
  final byte @Nullable [] get(byte[] entry) {
    return form.time(entry) < firstLiveTime() ? null : getEntry(entry);
  }

  /** Returns the value of an entry, whether it is expired or not. */
  final byte @Nullable [] getEntry(byte[] entry) {
    return open().get(data(entry));
  }

  @Override
  final void restore(Collection<ConsumerRecord<byte[], byte[]>> records) {
    StoreDatabase opened = open();
    long latest = streamTime;
    for (ConsumerRecord<byte[], byte[]> record : records) {
      latest = Math.max(latest, form.time(record.key()));
    }
    streamTime = latest;
    opened.restore(
        records,
        (batch, record) -> {
          byte[] entry = record.key();
          if (form.time(entry) / interval >= firstLiveSegment()) {
            add(batch, entry, record.value());
          }
        });
    expire(opened);
  }

  /**
   * Returns the first time that reads show. If windows are emitted when they close, one that closes
   * is just as old as the retention, if that is as short as Streams makes it by default.
   */
  private long firstLiveTime() {
    long oldest = streamTime - retention;
    return windowsByTime ? oldest : oldest + 1;
  }

  private long firstLiveSegment() {
    return Math.max(0, streamTime - retention) / interval;
  }

  /** Deletes the segments that are older than the retention, if there are any. */
  private void expire(StoreDatabase opened) {
    long live = firstLiveSegment();
    if (live <= expired) {
      return;
    }
    if (indexed) {
      byte[] end = ByteBuffer.allocate(1 + Long.BYTES).put(StoreDatabase.INDEX).array();
      ByteBuffer.wrap(end).putLong(1, live * interval);
      delete(opened, new byte[] {StoreDatabase.INDEX}, end);
    }
    delete(
        opened,
        new byte[] {StoreDatabase.DATA},
        TimedKey.stored(StoreDatabase.DATA, live, new byte[0]));
    expired = live;
  }

  private static void delete(StoreDatabase opened, byte[] from, byte[] to) {
    WriteBatch few = WriteBatch.create();
    try (DBIterator cursor = opened.cursor(from, to)) {
      for (cursor.seekToFirst(); cursor.isValid() && few.count() < FEW; cursor.next()) {
        few.delete(cursor.key());
      }
    } catch (DBException e) {
      throw opened.failed("read", e);
    }
    if (few.count() == FEW) {
      opened.deleteRange(from, to);
    } else if (few.count() > 0) {
      opened.deleteExpired(few);
    }
  }

  /**
   * Returns the entries of one key, or null if the range of time is empty.
   *
   * @param from the first time, inclusive
   * @param to the last time of an entry, inclusive
   * @param filter returns true for the entries that are wanted of this key
   */
  final @Nullable CursorScan scanKey(
      byte[] key, long from, long to, Predicate<byte[]> filter, boolean forward) {
    byte[] upper = Arrays.copyOf(key, key.length + form.suffix());
    Arrays.fill(upper, key.length, upper.length, (byte) 0xff);
    ByteBuffer.wrap(upper).putLong(key.length, to);
    long first = Math.max(0, Math.max(from, firstLiveTime()));
    byte[] lower = ByteBuffer.allocate(key.length + Long.BYTES).put(key).putLong(first).array();
    int length = key.length + form.suffix();
    return scan(
        lower,
        upper,
        first,
        to,
        entry ->
            entry.length == length
                && Arrays.equals(entry, 0, key.length, key, 0, key.length)
                && filter.test(entry),
        forward);
  }

  /**
   * Returns the entries of a range of keys, or null if the range of time is empty.
   *
   * @param keyFrom the first key, inclusive, or null for no bound
   * @param keyTo the last key, inclusive, or null for no bound
   * @param from the first time, inclusive
   * @param to the last time, inclusive
   * @param filter returns true for the entries that are wanted of these keys
   */
  final @Nullable CursorScan scanKeys(
      byte @Nullable [] keyFrom,
      byte @Nullable [] keyTo,
      long from,
      long to,
      Predicate<byte[]> filter,
      boolean forward) {
    long first = Math.max(0, Math.max(from, firstLiveTime()));
    return scanAll(keyFrom, keyTo, first, to, filter, forward);
  }

  /**
   * Returns the entries of a range of time, also those that are expired and not yet deleted, or
   * null if the range is empty.
   */
  final @Nullable CursorScan scanTimes(long from, long to) {
    return scanAll(null, null, Math.max(0, from), to, entry -> true, true);
  }

  private @Nullable CursorScan scanAll(
      byte @Nullable [] keyFrom,
      byte @Nullable [] keyTo,
      long first,
      long to,
      Predicate<byte[]> filter,
      boolean forward) {
    if (indexed && keyFrom == null && keyTo == null) {
      return scanIndex(first, to, filter, forward);
    }
    return scan(
        keyFrom == null ? new byte[0] : keyFrom,
        keyTo == null ? null : form.upperBound(keyTo, to),
        first,
        to,
        entry -> {
          long time = form.time(entry);
          return time >= first
              && time <= to
              && isBetween(entry, keyFrom, keyTo)
              && filter.test(entry);
        },
        forward);
  }

  private boolean isBetween(byte[] entry, byte @Nullable [] from, byte @Nullable [] to) {
    int key = entry.length - form.suffix();
    return (from == null || Arrays.compareUnsigned(entry, 0, key, from, 0, from.length) >= 0)
        && (to == null || Arrays.compareUnsigned(entry, 0, key, to, 0, to.length) <= 0);
  }

  private @Nullable CursorScan scan(
      byte[] lower,
      byte @Nullable [] upper,
      long from,
      long to,
      Predicate<byte[]> filter,
      boolean forward) {
    StoreDatabase opened = open();
    if (from > to) {
      return null;
    }
    byte[] begin = TimedKey.stored(StoreDatabase.DATA, from / interval, new byte[0]);
    byte[] end = TimedKey.stored(StoreDatabase.DATA, to / interval + 1, new byte[0]);
    return new SegmentScan(opened, opened.cursor(begin, end), lower, upper, filter, forward)
        .begin();
  }

  private @Nullable CursorScan scanIndex(
      long from, long to, Predicate<byte[]> filter, boolean forward) {
    StoreDatabase opened = open();
    if (from > to) {
      return null;
    }
    // The number after the last time has the bytes of the first negative one, which is the end.
    byte[] end = time(to + 1);
    return new IndexScan(
            opened, opened.cursor(time(from), end), this::getEntry, form, filter, forward)
        .begin();
  }

  private static byte[] time(long time) {
    return ByteBuffer.allocate(1 + Long.BYTES).put(StoreDatabase.INDEX).putLong(time).array();
  }
}
