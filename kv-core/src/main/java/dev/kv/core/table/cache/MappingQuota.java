package dev.kv.core.table.cache;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of tables that are mapped into memory; the others are read by position.
 * Thread-safe.
 */
public final class MappingQuota {
  /**
   * The value of {@link dev.kv.Options.Memory#maxMappedTables()} that derives the limit from the
   * system.
   */
  private static final int AUTOMATIC = -1;

  private static final int MOST = 1000;
  private static final String SYSTEM_LIMIT = "/proc/sys/vm/max_map_count";

  /** The share of the system's limit that tables may use. */
  private static final int SHARE = 4;

  /** A quarter of the system's limit. Computed once, to avoid reading a file at every open. */
  private static final int OF_THE_SYSTEM = ofSystemLimit();

  private final AtomicInteger left;
  private final @Nullable MappingQuota total;
  private final AtomicLong bytes = new AtomicLong();

  /** Creates a quota of {@code tables}, or {@link #AUTOMATIC}. */
  public MappingQuota(int tables) {
    this(tables, null);
  }

  /**
   * Creates the quota of one database.
   *
   * @param tables the number of tables, or {@link #AUTOMATIC}
   * @param total what the database shares with others, or null if there is no other limit
   */
  public MappingQuota(int tables, @Nullable MappingQuota total) {
    left = new AtomicInteger(tables == AUTOMATIC ? Math.min(MOST, OF_THE_SYSTEM) : tables);
    this.total = total;
  }

  /** Returns a quota of a quarter of the mappings that the system allows the process. */
  public static MappingQuota ofTheSystem() {
    return new MappingQuota(OF_THE_SYSTEM, null);
  }

  private static int ofSystemLimit() {
    try (FileInputStream limit = new FileInputStream(SYSTEM_LIMIT)) {
      String text = new String(limit.readAllBytes(), StandardCharsets.US_ASCII).trim();
      return (int) Math.min(Integer.MAX_VALUE, Long.parseLong(text) / SHARE);
    } catch (IOException | NumberFormatException noSuchLimit) {
      return Integer.MAX_VALUE;
    }
  }

  /** Takes one mapping from the quota and returns true, or returns false if none is left. */
  boolean take() {
    if (!takeOwn()) {
      return false;
    }
    if (total != null && !total.take()) {
      left.incrementAndGet();
      return false;
    }
    return true;
  }

  private boolean takeOwn() {
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
    if (total != null) {
      total.release();
    }
  }

  /** Returns the bytes that are mapped now. */
  public long bytes() {
    return bytes.get();
  }
}
