package dev.kv.testing;

import dev.kv.env.RandomAccessFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state of one file of a {@link StrictMemEnv}, whatever its names are: its current pages, and
 * its pages on disk. Guarded by the lock of the environment.
 */
final class StrictFile {
  private static final int PAGE = 4096;
  private static final int SECTOR = 512;

  private final RandomAccessFile live;
  private final Random random;

  /** The synced pages of the file, and those that it had when it was longer. */
  private final Map<Long, byte[]> durable = new TreeMap<>();

  /**
   * The pages that changed since their last sync. The value is null, or a version from in between.
   */
  private final Map<Long, byte @Nullable []> changed = new TreeMap<>();

  private long size;
  private long durableSize;

  /** Creates the state of a new file, whose current content {@code live} reads. */
  StrictFile(RandomAccessFile live, Random random) {
    this.live = live;
    this.random = random;
  }

  int unsyncedPages() {
    return changed.size();
  }

  /** Records that the bytes [from, to) were written. */
  void written(long from, long to) throws IOException {
    size = Math.max(size, to);
    change(from, to);
  }

  /** Records that the file is truncated to {@code length}. */
  void cut(long length) throws IOException {
    long had = size;
    size = length;
    change(length, had);
  }

  private void change(long from, long to) throws IOException {
    for (long page = from / PAGE; page * PAGE < to; page++) {
      byte[] between = changed.get(page);
      if (between == null || random.nextInt(8) == 0) {
        between = random.nextInt(16) == 0 ? livePage(page) : between;
      }
      changed.put(page, between);
    }
  }

  /** Records that the pages of the bytes [from, to), and the size, are durable. */
  void synced(long from, long to) throws IOException {
    durableSize = size;
    for (long page : changed.keySet().toArray(Long[]::new)) {
      if ((page + 1) * PAGE > from && page * PAGE < to) {
        changed.remove(page);
        durable.put(page, livePage(page));
      }
    }
    durable.keySet().removeIf(page -> page * PAGE >= size);
  }

  private byte[] livePage(long page) throws IOException {
    byte[] bytes = new byte[PAGE];
    live.read(page * PAGE, ByteBuffer.wrap(bytes), 0, PAGE);
    return bytes;
  }

  /**
   * Returns the content of the file after a crash. Each unsynced page was written with the given
   * probability.
   */
  byte[] afterCrash(int percentKept, Random choices) throws IOException {
    Map<Long, byte[]> pages = new TreeMap<>(durable);
    long lastKept = -1;
    for (Map.Entry<Long, byte @Nullable []> entry : changed.entrySet()) {
      if (choices.nextInt(100) < percentKept) {
        long page = entry.getKey();
        byte[] before = pages.getOrDefault(page, new byte[PAGE]);
        pages.put(page, reached(before, entry.getValue(), livePage(page), percentKept, choices));
        lastKept = page;
      }
    }
    byte[] bytes = new byte[Math.toIntExact(sizeAfterCrash(percentKept, lastKept, choices))];
    for (Map.Entry<Long, byte[]> entry : pages.entrySet()) {
      long at = entry.getKey() * PAGE;
      if (at < bytes.length) {
        int count = (int) Math.min(PAGE, bytes.length - at);
        System.arraycopy(entry.getValue(), 0, bytes, (int) at, count);
      }
    }
    return bytes;
  }

  private static byte[] reached(
      byte[] before, byte @Nullable [] between, byte[] last, int percentKept, Random choices) {
    if (percentKept == 100) {
      return last;
    }
    byte[] version = between != null && choices.nextInt(4) == 0 ? between : last;
    if (choices.nextInt(4) != 0) {
      return version;
    }
    byte[] torn = Arrays.copyOf(version, PAGE);
    for (int sector = 0; sector < PAGE; sector += SECTOR) {
      if (choices.nextBoolean()) {
        System.arraycopy(before, sector, torn, sector, SECTOR);
      }
    }
    return torn;
  }

  private long sizeAfterCrash(int percentKept, long lastKept, Random choices) {
    if (choices.nextInt(100) < percentKept) {
      return size;
    }
    // A page that was written after the old end extends the file.
    return Math.max(durableSize, Math.min(size, (lastKept + 1) * PAGE));
  }
}
