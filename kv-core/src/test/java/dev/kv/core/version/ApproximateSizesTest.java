package dev.kv.core.version;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.bytes.Range;
import dev.kv.options.CompressionType;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApproximateSizesTest {
  private static final int VALUE = 100_000;
  private static final Options OPTIONS =
      Options.builder()
          .createIfMissing(true)
          .writeBufferSize(100 << 20)
          .compression(CompressionType.NONE)
          .build();

  @TempDir Path temp;
  private final Random random = new Random(301);

  private static byte[] key(int n) {
    return String.format(Locale.ROOT, "key%06d", n).getBytes(StandardCharsets.US_ASCII);
  }

  private byte[] value(int length) {
    byte[] value = new byte[length];
    random.nextBytes(value);
    return value;
  }

  private static long size(DB db, int from, int to) {
    return db.admin().approximateSizes(List.of(new Range(key(from), key(to))))[0];
  }

  @Test
  void approximateSizes_equalEntries_growWithTheRangeAlsoAfterReopenAndCompaction() {
    Path directory = temp.resolve("db");
    int count = 80;
    try (DB db = DB.open(directory, OPTIONS)) {
      assertThat(size(db, 0, count)).isZero();
      for (int i = 0; i < count; i++) {
        db.put(key(i), value(VALUE));
      }
      assertThat(size(db, 0, 50)).as("the memtable does not count").isZero();
      db.admin().flush();
    }
    for (int round = 0; round < 3; round++) {
      try (DB db = DB.open(directory, OPTIONS)) {
        for (int i = 0; i < count; i += 10) {
          assertThat(size(db, 0, i)).isBetween((long) VALUE * i, (long) VALUE * i + 50_000);
          assertThat(size(db, 0, i + 1))
              .isBetween((long) VALUE * (i + 1), (long) VALUE * (i + 1) + 50_000);
        }
        assertThat(size(db, 60, 60)).isZero();
        assertThat(size(db, 60, 10)).isZero();
        db.admin().compactRange(key(0), key(9 + 30 * round));
      }
    }
  }

  @Test
  void approximateSizes_smallAndLargeEntries_followTheirSizes() {
    Path directory = temp.resolve("mixed");
    int[] lengths = {10_000, 10_000, VALUE, 10_000, VALUE, 10_000, 300_000, 10_000};
    try (DB db = DB.open(directory, OPTIONS)) {
      for (int i = 0; i < lengths.length; i++) {
        db.put(key(i), value(lengths[i]));
      }
      db.admin().flush();
    }
    for (int round = 0; round < 3; round++) {
      try (DB db = DB.open(directory, OPTIONS)) {
        long sum = 0;
        for (int i = 0; i < lengths.length; i++) {
          assertThat(size(db, 0, i)).as("up to %d", i).isBetween(sum, sum + 1_000 + 10L * i);
          sum += lengths[i];
        }
        assertThat(size(db, 3, 5)).isBetween(110_000L, 111_000L);
        db.admin().compactRange(null, null);
      }
    }
  }
}
