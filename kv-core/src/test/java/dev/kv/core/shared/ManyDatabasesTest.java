package dev.kv.core.shared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.SharedResources;
import dev.kv.core.Children;
import dev.kv.core.db.DbTestBase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A hundred open databases in a JVM with 64 MiB of heap and as much direct memory. */
@Tag("one-jdk")
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ManyDatabasesTest {
  private static final int DATABASES = 100;

  @TempDir Path temp;

  @Test
  void databases_oneEntryEach_takeLittleMemory() throws IOException, InterruptedException {
    Children.Ended child =
        Children.run(List.of("-Xmx64m", "-ea"), OneEntryEach.class, temp.toString());
    assertThat(child.exitCode()).as(child.output()).isZero();
    assertThat(child.output()).contains("all open");
  }

  @Test
  void databases_thatShareResourcesUnderLoad_keepToMemoryAndThreads()
      throws IOException, InterruptedException {
    Children.Ended child =
        Children.run(
            List.of("-Xmx64m", "-ea", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"),
            LoadOnAll.class,
            temp.toString());
    assertThat(child.exitCode()).as(child.output()).isZero();
    assertThat(child.output()).contains("all there");
  }

  /** The program of the second child JVM: six threads in all, one of which unmaps files. */
  static final class LoadOnAll {
    private static final long LIMIT = 24 << 20;
    private static final int ROUNDS = 6;
    private static final int WRITES = 20_000;
    private static final int KEYS = 400;

    private LoadOnAll() {}

    public static void main(String[] args) {
      long seed = 1;
      Random random = new Random(seed);
      List<DB> open = new ArrayList<>();
      int[][] lengths = new int[DATABASES][KEYS];
      try (SharedResources shared =
          SharedResources.builder()
              .offHeapLimit(LIMIT)
              .blockCacheSize(4 << 20)
              .compactionThreads(3)
              .build()) {
        Options options =
            Options.builder()
                .createIfMissing(true)
                .sharedResources(shared)
                .maxOpenFiles(100)
                .build();
        for (int i = 0; i < DATABASES; i++) {
          open.add(DB.open(Path.of(args[0], "db" + i), options));
        }
        long[] used = new long[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
          for (int i = 0; i < WRITES; i++) {
            // A few busy databases, and many that are written to now and then.
            int d = random.nextInt(4) > 0 ? random.nextInt(5) : random.nextInt(DATABASES);
            int k = random.nextInt(KEYS);
            lengths[d][k] = 1 + random.nextInt(2000);
            DbTestBase.patiently(() -> open.get(d).put(key(k), new byte[lengths[d][k]]));
            check(shared.offHeapUsed() <= LIMIT, "off-heap memory");
          }
          check(engineThreads() <= 6, "threads");
          used[round] = heapUsed();
        }
        // The heap holds the objects of a hundred databases, however much was written.
        check(used[ROUNDS - 1] - used[1] < 4 << 20, "heap " + Arrays.toString(used));
        for (int d = 0; d < DATABASES; d++) {
          for (int k = 0; k < KEYS; k++) {
            byte[] value = open.get(d).get(key(k));
            check((value == null ? 0 : value.length) == lengths[d][k], "value " + d + " " + k);
          }
        }
        System.out.println("all there; heap after each round: " + Arrays.toString(used));
        open.forEach(DB::close);
      }
    }

    private static byte[] key(int k) {
      return ("key" + k).getBytes(StandardCharsets.UTF_8);
    }

    private static long engineThreads() {
      return Thread.getAllStackTraces().keySet().stream()
          .filter(each -> each.getName().startsWith("kv-"))
          .count();
    }

    /** Returns the smallest of three readings: other threads allocate meanwhile. */
    private static long heapUsed() {
      long least = Long.MAX_VALUE;
      for (int i = 0; i < 3; i++) {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
      }
      return least;
    }

    private static void check(boolean holds, String what) {
      if (!holds) {
        throw new AssertionError(what);
      }
    }
  }

  /** The program of the first child JVM. */
  static final class OneEntryEach {
    private OneEntryEach() {}

    public static void main(String[] args) {
      byte[] key = "key".getBytes(StandardCharsets.UTF_8);
      List<DB> open = new ArrayList<>();
      long memtables = 0;
      for (int i = 0; i < DATABASES; i++) {
        DB db =
            DB.open(Path.of(args[0], "db" + i), Options.builder().createIfMissing(true).build());
        open.add(db);
        db.put(key, new byte[100]);
        memtables += db.admin().stats().memory().offHeap().memtables();
      }
      if (memtables > DATABASES * (64L << 10)) {
        throw new AssertionError(memtables + " bytes of memtables");
      }
      for (DB db : open) {
        if (db.get(key) == null) {
          throw new AssertionError("an entry is missing");
        }
      }
      System.out.println("all open");
      open.forEach(DB::close);
    }
  }
}
