package dev.kv.jmh.store;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Counts the operations of one thread and the bytes that they moved, and optionally times each one.
 * Not thread-safe.
 */
public final class OpMeter {
  private static final long MAX_NANOS = 3_600_000_000_000L;
  private static final long STALL_NANOS = 1_000_000;

  private final @Nullable Histogram histogram;
  private long operations;
  private long bytes;
  private long bytesPut;
  private long sum;
  private long stalledNanos;
  private long lastNanos;

  /** Creates a meter; with {@code timed} it reads the clock once for each operation. */
  public OpMeter(boolean timed) {
    histogram = timed ? new Histogram(MAX_NANOS, 3) : null;
  }

  /** Begins the first operation. */
  public void start() {
    operations = 0;
    bytes = 0;
    bytesPut = 0;
    stalledNanos = 0;
    if (histogram != null) {
      histogram.reset();
      lastNanos = System.nanoTime();
    }
  }

  /** Begins an operation; the time since the last one does not count. */
  public void begin() {
    if (histogram != null) {
      lastNanos = System.nanoTime();
    }
  }

  /** Ends an operation and begins the next. */
  public void tick() {
    operations++;
    if (histogram != null) {
      time(histogram);
    }
  }

  private void time(Histogram times) {
    long now = System.nanoTime();
    long nanos = now - lastNanos;
    lastNanos = now;
    times.recordValue(Math.min(nanos, MAX_NANOS));
    if (nanos >= STALL_NANOS) {
      stalledNanos += nanos;
    }
  }

  /** Adds to the bytes that were moved. */
  public void addBytes(long count) {
    bytes += count;
  }

  /** Adds the bytes of keys and values that were put, to all bytes and to the bytes put. */
  public void addBytesWritten(long count) {
    addBytes(count);
    addBytesPut(count);
  }

  /**
   * Adds to the bytes of keys and values that were put, the basis of the write amplification. They
   * are not added to {@link #bytes}.
   */
  public void addBytesPut(long count) {
    bytesPut += count;
  }

  /**
   * Receives a value that was computed from the bytes read, so that the JIT does not remove the
   * read.
   */
  public void consume(long value) {
    sum += value;
  }

  /** Receives an entry that was read, and adds its bytes to those that were moved. */
  public void consumeEntry(byte[] key, byte[] value) {
    consume(ByteSum.of(key, key.length) + ByteSum.of(value, value.length));
    addBytes(key.length + (long) value.length);
  }

  /** Returns the number of operations that have ended. */
  public long operations() {
    return operations;
  }

  /** Returns the bytes that were moved. */
  public long bytes() {
    return bytes;
  }

  /** Returns the bytes of keys and values that were put. */
  public long bytesPut() {
    return bytesPut;
  }

  /** Returns the sum of the values consumed. */
  public long sum() {
    return sum;
  }

  /** Returns the time in nanoseconds of operations that took a millisecond or more, if timed. */
  public long stalledNanos() {
    return stalledNanos;
  }

  /** Returns the times in nanoseconds, or null if operations are not timed. */
  public @Nullable Histogram histogram() {
    return histogram;
  }
}
