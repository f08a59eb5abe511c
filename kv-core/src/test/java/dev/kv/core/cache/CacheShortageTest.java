package dev.kv.core.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.Children;
import java.io.IOException;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A cache whose table of entries finds no room on the heap to grow. */
class CacheShortageTest {
  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void acquire_afterAGrowthWithoutMemory_loadsTheEntry() throws IOException, InterruptedException {
    Children.Ended child = Children.run(List.of("-Xmx40m", "-XX:+UseSerialGC"), Growth.class);
    assertThat(child.exitCode()).as(child.output()).isZero();
    assertThat(child.output()).contains("no memory to grow", "loaded");
  }

  /** The program of the child JVM: its cache grows at a power of two entries. */
  static final class Growth {
    private static final int ENTRIES = 1 << 17;

    private Growth() {}

    private static final class Nothing implements CacheValue {
      @Override
      public long charge() {
        return 1;
      }

      @Override
      public void free() {}
    }

    public static void main(String[] arguments) {
      LruCache<Nothing> cache = new LruCache<>(1L << 40, 0);
      Loader<Nothing> loader = (id, key) -> new Nothing();
      for (long key = 0; key < ENTRIES; key++) {
        cache.acquire(1, key, loader).close();
      }
      List<byte[]> rest = new ArrayList<>(10_000);
      try {
        while (true) {
          rest.add(new byte[64 << 10]);
        }
      } catch (OutOfMemoryError full) {
        rest.subList(rest.size() - 6, rest.size()).clear(); // less than the table needs
      }
      try {
        cache.acquire(1, ENTRIES, loader).close();
      } catch (OutOfMemoryError expected) {
        System.out.println("no memory to grow");
      }
      Reference.reachabilityFence(rest);
      rest.clear();
      cache.acquire(1, ENTRIES, loader).close();
      System.out.println("loaded");
    }
  }
}
