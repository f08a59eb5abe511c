package dev.kv.streams.database;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.SharedResources;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory, cache and threads that all stores of a process share. They are created for the first
 * store that is opened, and freed when the last one is closed. Thread-safe.
 */
public final class ProcessResources {
  private static final Logger log = LoggerFactory.getLogger(ProcessResources.class);

  /** The key of the configuration that limits the memory of all stores. */
  public static final String MEMORY_BYTES_CONFIG = "kv.streams.memory.bytes";

  /** The default of {@link #MEMORY_BYTES_CONFIG}. */
  public static final long DEFAULT_MEMORY_BYTES = 256L << 20;

  /** The smallest value of {@link #MEMORY_BYTES_CONFIG}. */
  public static final long MIN_MEMORY_BYTES = 16L << 20;

  /** The one instance of a process: its point is that there is one. */
  public static final ProcessResources INSTANCE = new ProcessResources();

  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private @Nullable SharedResources shared;

  @GuardedBy("lock")
  private int stores;

  private ProcessResources() {}

  /**
   * Returns the shared resources for one more store. The caller calls {@link #release} after its
   * database is closed.
   *
   * @param configs the configuration of Streams
   */
  public SharedResources acquire(Map<String, ?> configs) {
    long bytes = memoryBytes(configs);
    lock.lock();
    try {
      SharedResources found = shared;
      if (found == null) {
        found = create(bytes);
        shared = found;
      } else if (found.settings().offHeapLimit() != bytes) {
        log.warn(
            "{} is {} here, and was {} for the stores that are open in this process: they share"
                + " that",
            MEMORY_BYTES_CONFIG,
            bytes,
            found.settings().offHeapLimit());
      }
      stores++;
      return found;
    } finally {
      lock.unlock();
    }
  }

  /** Gives back what {@link #acquire} returned, after the database of the store is closed. */
  public void release() {
    SharedResources unused = null;
    lock.lock();
    try {
      stores--;
      if (stores == 0) {
        unused = shared;
        shared = null;
      }
    } finally {
      lock.unlock();
    }
    if (unused != null) {
      unused.close();
    }
  }

  /**
   * Memtables that are being written take at most half of the memory. A quarter is the most that
   * the cache takes, which is used for tables that are not mapped only. The rest is for memtables
   * that are being flushed, and for the indexes of open tables.
   */
  private static SharedResources create(long bytes) {
    return SharedResources.builder()
        .offHeapLimit(bytes)
        .writeBufferLimit(bytes / 2)
        .blockCacheSize(bytes / 4)
        .build();
  }

  private static long memoryBytes(Map<String, ?> configs) {
    Object value = configs.get(MEMORY_BYTES_CONFIG);
    if (value == null) {
      return DEFAULT_MEMORY_BYTES;
    }
    long bytes;
    try {
      bytes = Long.parseLong(value.toString().trim());
    } catch (NumberFormatException e) {
      throw new ConfigException(MEMORY_BYTES_CONFIG, value, "must be a number of bytes");
    }
    if (bytes < MIN_MEMORY_BYTES) {
      throw new ConfigException(MEMORY_BYTES_CONFIG, value, "must be at least " + MIN_MEMORY_BYTES);
    }
    return bytes;
  }
}
