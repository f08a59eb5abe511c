package dev.kv.core.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.WriteOptions;
import dev.kv.admin.DBStats;
import dev.kv.core.Children;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Fills a cache of 512 MiB and a write buffer of 128 MiB in a JVM with a heap of 64 MiB; the quick
 * size has half of each.
 */
@Tag("slow")
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SmallHeapTest {
  private static final int PARTS = Boolean.getBoolean("kv.long") ? 2 : 1;
  private static final int CACHE = PARTS * (256 << 20);
  private static final int WRITE_BUFFER = PARTS * (64 << 20);

  @TempDir Path temp;

  @Test
  void cacheAndMemtables_filled_stayOffTheHeap() throws IOException, InterruptedException {
    Children.Ended child =
        Children.run(
            List.of(
                "-Xmx" + 32 * PARTS + "m",
                "-XX:MaxDirectMemorySize=" + 600 * PARTS + "m",
                "-ea",
                "-Dkv.long=" + (PARTS > 1)),
            Filling.class,
            temp.resolve("db").toString());
    assertThat(child.exitCode()).as(child.output()).isZero();
    assertThat(child.output()).contains("filled");
  }

  /** The program of the child JVM. */
  static final class Filling {
    private static final int VALUE = 4000;
    private static final int ENTRIES = PARTS * 85_000;

    private Filling() {}

    public static void main(String[] args) {
      Options options =
          Options.builder()
              .createIfMissing(true)
              .compression(CompressionType.NONE)
              .blockCacheSize(CACHE)
              .writeBufferSize(WRITE_BUFFER)
              .maxFileSize(32 << 20)
              .build();
      try (DB db = DB.open(Path.of(args[0]), options)) {
        ByteBuffer value = ByteBuffer.allocateDirect(VALUE);
        for (int i = 0; i < ENTRIES; i++) {
          db.put(WriteOptions.DEFAULT, key(i), fill(value, i));
        }
        db.admin().compactRange(null, null); // later compactions would evict blocks from the cache
        ByteBuffer read = ByteBuffer.allocateDirect(VALUE);
        for (int i = 0; i < ENTRIES; i++) {
          require(db.get(ReadOptions.DEFAULT, key(i), read.clear()) == VALUE, "value of " + i);
          require(read.flip().equals(fill(value, i)), "bytes of " + i);
        }
        for (int i = 0; i < (WRITE_BUFFER - (8 << 20)) / VALUE; i++) {
          db.put(WriteOptions.DEFAULT, key(i), fill(value, i));
        }
        DBStats stats = db.admin().stats();
        require(stats.memory().blockCache().charge() > CACHE / 10L * 9, stats.toString());
        require(stats.memory().offHeap().blocks() > CACHE / 10L * 9, stats.toString());
        require(stats.memory().offHeap().memtables() >= WRITE_BUFFER, stats.toString());
        System.out.println("filled: " + stats.memory().offHeap());
      }
    }

    private static ByteBuffer key(int i) {
      return ByteBuffer.allocate(8).putLong(0, i * 0x9e3779b97f4a7c15L);
    }

    private static ByteBuffer fill(ByteBuffer value, int i) {
      SplittableRandom random = new SplittableRandom(i);
      for (int at = 0; at < VALUE; at += Long.BYTES) {
        value.putLong(at, random.nextLong());
      }
      return value.clear();
    }

    private static void require(boolean condition, String message) {
      if (!condition) {
        throw new AssertionError(message);
      }
    }
  }
}
