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

  /** On 32 bits 2 to 3 GiB of addresses are shared by heap, buffers, stacks and mappings. */
  private static final int MOST_OF_32_BITS = 100;

  private static final String SYSTEM_LIMIT = "/proc/sys/vm/max_map_count";

  /** The share of the system's limit that tables may use. */
  private static final int SHARE = 4;

  /** The limit of the system. Computed once, to avoid reading a file at every open. */
  private static final int OF_THE_SYSTEM = ofSystemLimit();

  private static final MappingQuota OF_THE_PROCESS = new MappingQuota(OF_THE_SYSTEM, null);

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

  /** Returns the quota of the mappings that all tables of this process may use. */
  public static MappingQuota ofTheProcess() {
    return OF_THE_PROCESS;
  }

  private static int ofSystemLimit() {
    try (FileInputStream limit = new FileInputStream(SYSTEM_LIMIT)) {
      String text = new String(limit.readAllBytes(), StandardCharsets.US_ASCII).trim();
      return of(Long.parseLong(text), System.getProperty("sun.arch.data.model"));
    } catch (IOException | NumberFormatException noSuchLimit) {
      return of(Long.MAX_VALUE, System.getProperty("sun.arch.data.model"));
    }
  }

  /** Returns the limit for a system's limit of mappings and the width of its addresses in bits. */
  static int of(long mappings, @Nullable String bits) {
    return (int)
        Math.min("32".equals(bits) ? MOST_OF_32_BITS : Integer.MAX_VALUE, mappings / SHARE);
  }

  /** Takes one mapping from the quota and returns true, or returns false if none is left. */
  boolean take() {
    if (left.getAndUpdate(now -> Math.max(now - 1, 0)) == 0) {
      return false;
    }
    if (total != null && !total.take()) {
      left.incrementAndGet();
      return false;
    }
    return true;
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
