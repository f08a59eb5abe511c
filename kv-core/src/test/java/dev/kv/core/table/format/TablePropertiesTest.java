package dev.kv.core.table.format;

import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.table.block.BlockIterator;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TablePropertiesTest {
  private static final long SEED = 20_261_122;

  private static @Nullable TableProperties decode(byte[] content) {
    return TableProperties.decode(direct(content), content.length);
  }

  private static TableProperties random(Random random) {
    long greatest = random.nextLong() >>> 8 >>> random.nextInt(56);
    long entries = 1 + (random.nextLong() >>> 1 + random.nextInt(60)) / 2;
    return new TableProperties(
        random.nextLong(greatest + 1),
        greatest,
        entries,
        random.nextLong(entries + 1),
        random.nextBoolean() ? 0 : random.nextInt(Integer.MAX_VALUE),
        random.nextBoolean() ? "leveldb.BytewiseComparator" : "x\u00e4".repeat(random.nextInt(99)),
        random.nextBoolean() ? 0 : 1 + (entries - 1) / (1 + random.nextInt(9)),
        random.nextInt(4) - 1);
  }

  @Test
  void encode_anyProperties_decodesToTheSame() {
    Random random = new Random(SEED);
    for (int i = 0; i < 2000; i++) {
      TableProperties properties = random(random);
      assertThat(decode(properties.encode())).as("seed %d, %d", SEED, i).isEqualTo(properties);
    }
    TableProperties extremes =
        new TableProperties(
            InternalKey.MAX_SEQUENCE,
            InternalKey.MAX_SEQUENCE,
            Long.MAX_VALUE,
            Long.MAX_VALUE,
            Long.MAX_VALUE,
            "",
            Long.MAX_VALUE,
            Byte.MAX_VALUE);
    assertThat(decode(extremes.encode())).isEqualTo(extremes);
  }

  @Test
  void decode_anyOtherLength_isMalformed() {
    byte[] whole = new TableProperties(3, 7, 5, 2, 1_795_000_000L, "test.Order", 4, 1).encode();
    for (int length = 0; length < whole.length; length++) {
      assertThat(decode(Arrays.copyOf(whole, length))).as("%d bytes", length).isNull();
    }
    assertThat(decode(Arrays.copyOf(whole, whole.length + 1))).isNull();
  }

  @Test
  void decode_damagedBytes_isMalformedOrWithinBounds() {
    Random random = new Random(SEED);
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] content = random(random).encode();
      for (int hits = 1 + random.nextInt(3); hits > 0; hits--) {
        content[random.nextInt(content.length - 4)] = (byte) random.nextInt();
      }
      TableProperties found = decode(content);
      if (found == null) {
        refused++;
        continue;
      }
      assertThat(found.leastSequence()).isBetween(0L, found.greatestSequence());
      assertThat(found.greatestSequence()).isLessThanOrEqualTo(InternalKey.MAX_SEQUENCE);
      assertThat(found.tombstones()).isBetween(0L, found.entries());
      assertThat(found.entries()).isPositive();
      assertThat(found.userKeys()).isBetween(0L, found.entries());
      assertThat(found.compression()).isBetween(-1, 127);
    }
    assertThat(refused).isGreaterThan(5000);
  }

  @ParameterizedTest
  @CsvSource({
    "8, 7, 5, 2, 9, 5, least after greatest",
    "0, 72057594037927936, 5, 2, 9, 5, sequence of 57 bits",
    "0, -1, 5, 2, 9, 5, negative sequence",
    "3, 7, 0, 0, 9, 0, no entries",
    "3, 7, -5, -6, 9, 0, negative entries",
    "3, 7, 5, 6, 9, 5, more tombstones than entries",
    "3, 7, 5, 2, 9, 6, more user keys than entries",
  })
  void decode_contradiction_isMalformed(
      long least,
      long greatest,
      long entries,
      long tombstones,
      long written,
      long userKeys,
      String what) {
    byte[] content =
        new TableProperties(least, greatest, entries, tombstones, written, "c", userKeys, 1)
            .encode();
    assertThat(decode(content)).as(what).isNull();
  }

  @Test
  void decode_fieldOfALaterVersion_isSkipped() {
    TableProperties properties = new TableProperties(3, 7, 5, 2, 0, "test.Order", 0, -1);
    byte[] content = properties.encode();
    byte[] field = {99, 3, 1, 2, 3};
    byte[] later = new byte[content.length + field.length];
    System.arraycopy(field, 0, later, 0, field.length);
    System.arraycopy(content, 0, later, field.length, content.length);
    assertThat(decode(later)).isEqualTo(properties);
  }

  @Test
  void decode_missingField_isMalformed() {
    byte[] content = new TableProperties(3, 7, 5, 2, 0, "test.Order", 0, -1).encode();
    for (int field = 0; field < 4; field++) {
      byte[] without = new byte[content.length - 3];
      System.arraycopy(content, 0, without, 0, 3 * field);
      System.arraycopy(content, 3 * field + 3, without, 3 * field, content.length - 3 * field - 3);
      assertThat(decode(without)).as("without field %d", field + 1).isNull();
    }
  }

  @Test
  void hasOnlyLiveEntries_onlyIfEachUserKeyHasOneValue() {
    assertThat(new TableProperties(3, 9, 5, 0, 0, "c", 5, 1).hasOnlyLiveEntries()).isTrue();
    assertThat(new TableProperties(3, 9, 5, 0, 0, "c", 4, 1).hasOnlyLiveEntries()).isFalse();
    assertThat(new TableProperties(3, 9, 5, 1, 0, "c", 5, 1).hasOnlyLiveEntries()).isFalse();
    assertThat(new TableProperties(3, 9, 5, 0, 0, "c", 0, -1).hasOnlyLiveEntries())
        .as("unknown")
        .isFalse();
  }

  /** A repair must not take the block for one of data. */
  @Test
  void block_ofProperties_isNoBlockOfEntries() {
    Random random = new Random(SEED);
    OffHeapBudget budget = new OffHeapBudget(0);
    try (OffHeapBuffer scratch = new OffHeapBuffer(budget, BlockIterator.SCRATCH_BYTES)) {
      BlockIterator entries =
          new BlockIterator(new UserKeyComparator(dev.kv.bytes.DBComparator.bytewise()), scratch);
      for (int i = 0; i < 200; i++) {
        ByteBuffer content = direct(random(random).encode());
        org.assertj.core.api.Assertions.assertThatThrownBy(
                () -> entries.reset(content, content.capacity(), "table", 0))
            .isInstanceOf(dev.kv.errors.CorruptionException.class);
      }
    }
  }
}
