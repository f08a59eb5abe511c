package dev.kv.core.table.cache;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the number of tables that are mapped into memory; the others are read by position.
 * Thread-safe.
 */
public final class MappingQuota {
  /** The value of {@link dev.kv.Options#maxMappedTables} that derives the limit from the system. */
  private static final int AUTOMATIC = -1;

  private static final int MOST = 1000;
  private static final String SYSTEM_LIMIT = "/proc/sys/vm/max_map_count";

  /** Computed once, to avoid reading a file at every open. */
  private static final int SUITABLE = suitable();

  private final AtomicInteger left;
  private final AtomicLong bytes = new AtomicLong();

  /** Creates a quota of {@code tables}, or {@link #AUTOMATIC}. */
  public MappingQuota(int tables) {
    left = new AtomicInteger(tables == AUTOMATIC ? SUITABLE : tables);
  }

  private static int suitable() {
    try (FileInputStream limit = new FileInputStream(SYSTEM_LIMIT)) {
      String text = new String(limit.readAllBytes(), StandardCharsets.US_ASCII).trim();
      return (int) Math.min(MOST, Long.parseLong(text) / 4);
    } catch (IOException | NumberFormatException noSuchLimit) {
      return MOST;
    }
  }

  /** Takes one mapping from the quota and returns true, or returns false if none is left. */
  boolean take() {
    int now = left.get();
    while (now > 0) {
      if (left.compareAndSet(now, now - 1)) {
        return true;
      }
      now = left.get();
    }
    return false;
  }

  /** Adds the bytes of a file that was mapped. */
  void count(long mappedBytes) {
    bytes.addAndGet(mappedBytes);
  }

  /** Returns one mapping to the quota. */
  void release() {
    left.incrementAndGet();
  }

  /** Returns the bytes that are mapped now. */
  public long bytes() {
    return bytes.get();
  }
}
