package dev.kv.core.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The memory of data blocks is bounded by what src-docs/tuning.md adds up to. */
class BlockMemoryTest {
  /** What the merges of this load pin: a block of each of a few dozen tables. */
  private static final long PINNED_BY_MERGES = 512 << 10;

  private static final int ENTRIES = 60_000;

  @TempDir Path temp;

  /** Blocks of many sizes: values of 0 to 4000 bytes, then small ones, then large ones. */
  @ParameterizedTest
  @Tag("slow")
  @ValueSource(ints = {0, 1 << 20, 8 << 20})
  void blocks_writtenAndReadInManySizes_stayWithinTheDocumentedBound(int cache) {
    long bound = cache + cache / 4 + (2 << 20) + PINNED_BY_MERGES;
    Options options =
        Options.builder()
            .createIfMissing(true)
            .blockCacheSize(cache)
            .writeBufferSize(1 << 20)
            .build();
    SplittableRandom random = new SplittableRandom(7);
    long most = 0;
    try (DB db = DB.open(temp.resolve("db"), options)) {
      for (int i = 0; i < ENTRIES; i++) {
        int sizes = i < ENTRIES / 3 ? 4000 : i < ENTRIES / 3 * 2 ? 100 : 20_000;
        if (sizes < 20_000 || i % 16 == 0) {
          db.put(key(random.nextInt(ENTRIES)), new byte[random.nextInt(sizes)]);
        }
        db.get(key(random.nextInt(ENTRIES)));
        if (i % 50 == 0) {
          most = Math.max(most, db.admin().stats().memory().offHeap().blocks());
        }
      }
      db.admin().compactRange(null, null);
      most = Math.max(most, db.admin().stats().memory().offHeap().blocks());
    }
    assertThat(most).isLessThanOrEqualTo(bound);
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(16).putLong(number * 0x9e3779b97f4a7c15L).putLong(number).array();
  }
}
