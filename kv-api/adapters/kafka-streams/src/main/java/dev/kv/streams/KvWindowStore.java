package dev.kv.streams;

import dev.kv.env.Env;
import dev.kv.streams.database.TimedKey;
import dev.kv.streams.scan.EmptyIterator;
import dev.kv.streams.scan.ScanIterator;
import java.util.Objects;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.TimeWindow;
import org.apache.kafka.streams.state.HeadersBytesStore;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.TimestampedBytesStore;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.state.WindowStoreIterator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A window store. */
class KvWindowStore extends SegmentedStore implements WindowStore<Bytes, byte[]> {
  private static final Logger log = LoggerFactory.getLogger(KvWindowStore.class);

  private final long windowSize;
  private final boolean retainDuplicates;

  /** Tells records with the same key and window apart. Always 0 without duplicates. */
  private int sequence;

  /**
   * Creates a store, which is opened later.
   *
   * @param env the file system, or null for that of the machine
   */
  KvWindowStore(WindowSupplier supplier, @Nullable Env env) {
    super(
        supplier.name(),
        supplier.kind(),
        supplier.retentionPeriod(),
        supplier.segmentIntervalMs(),
        env);
    this.windowSize = supplier.windowSize();
    this.retainDuplicates = supplier.retainDuplicates();
  }

  /** A store whose values have timestamps. */
  static final class Timestamped extends KvWindowStore implements TimestampedBytesStore {
    Timestamped(WindowSupplier supplier) {
      super(supplier, null);
    }
  }

  /** A store whose values have timestamps and headers. */
  static final class WithHeaders extends KvWindowStore
      implements TimestampedBytesStore, HeadersBytesStore {
    WithHeaders(WindowSupplier supplier) {
      super(supplier, null);
    }
  }

  @Override
  public void put(Bytes key, byte @Nullable [] value, long windowStart) {
    Objects.requireNonNull(key, "key");
    if (retainDuplicates) {
      if (value == null) {
        return;
      }
      sequence = (sequence + 1) & Integer.MAX_VALUE;
    }
    put(TimedKey.window(key.get(), windowStart, sequence), value);
  }

  @Override
  public byte @Nullable [] fetch(Bytes key, long time) {
    return get(TimedKey.window(key.get(), time, sequence));
  }

  @Override
  public WindowStoreIterator<byte[]> fetch(Bytes key, long from, long to) {
    return windows(key, from, to, true);
  }

  @Override
  public WindowStoreIterator<byte[]> backwardFetch(Bytes key, long from, long to) {
    return windows(key, from, to, false);
  }

  private WindowStoreIterator<byte[]> windows(Bytes key, long from, long to, boolean forward) {
    byte[] bytes = key.get();
    requireOpen();
    return new ScanIterator.OfWindows(() -> scanKey(bytes, from, to, entry -> true, forward));
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> fetch(
      @Nullable Bytes keyFrom, @Nullable Bytes keyTo, long from, long to) {
    return windowsOfKeys(keyFrom, keyTo, from, to, true);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetch(
      @Nullable Bytes keyFrom, @Nullable Bytes keyTo, long from, long to) {
    return windowsOfKeys(keyFrom, keyTo, from, to, false);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> fetchAll(long from, long to) {
    return windowsOfKeys(null, null, from, to, true);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardFetchAll(long from, long to) {
    return windowsOfKeys(null, null, from, to, false);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> all() {
    return windowsOfKeys(null, null, 0, Long.MAX_VALUE, true);
  }

  @Override
  public KeyValueIterator<Windowed<Bytes>, byte[]> backwardAll() {
    return windowsOfKeys(null, null, 0, Long.MAX_VALUE, false);
  }

  private KeyValueIterator<Windowed<Bytes>, byte[]> windowsOfKeys(
      @Nullable Bytes keyFrom, @Nullable Bytes keyTo, long from, long to, boolean forward) {
    if (keyFrom != null && keyTo != null && keyFrom.compareTo(keyTo) > 0) {
      log.warn(KeyBytes.INVALID_RANGE);
      return new EmptyIterator<>();
    }
    byte[] first = keyFrom == null ? null : keyFrom.get();
    byte[] last = keyTo == null ? null : keyTo.get();
    requireOpen();
    return new ScanIterator<>(
        () -> scanKeys(first, last, from, to, entry -> true, forward), this::windowed);
  }

  private Windowed<Bytes> windowed(byte[] entry) {
    long start = TimedKey.WINDOW.time(entry);
    long end = start + windowSize;
    // The end of a window that lies after the end of time is the end of time.
    return new Windowed<>(
        Bytes.wrap(TimedKey.WINDOW.key(entry)),
        new TimeWindow(start, end < start ? Long.MAX_VALUE : end));
  }
}
