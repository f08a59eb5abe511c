package dev.kv.core.table.filter;

import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.FilterPolicy;
import dev.kv.bytes.Slice;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FilterBlockTest {
  /** A filter that lists its keys, so that nothing matches by accident. */
  private static final class Exact implements FilterPolicy {
    @Override
    public String name() {
      return "test.Exact";
    }

    @Override
    public byte[] createFilter(List<Slice> keys) {
      StringBuilder all = new StringBuilder("|");
      keys.forEach(key -> all.append(key.toUtf8String()).append('|'));
      return all.toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean keyMayMatch(Slice key, Slice filter) {
      return filter.toUtf8String().contains("|" + key.toUtf8String() + "|");
    }
  }

  private static void add(FilterBlockBuilder builder, String... keys) {
    add(new Exact(), builder, keys);
  }

  private static void add(FilterPolicy policy, FilterBlockBuilder builder, String... keys) {
    FilterKeys added = new FilterKeys(policy);
    for (String key : keys) {
      byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
      added.add(direct(bytes), 0, bytes.length);
    }
    builder.addKeys(added);
  }

  private static FilterBlockReader reader(FilterPolicy policy, byte[] block) {
    return new FilterBlockReader(policy, direct(block), block.length);
  }

  private static boolean matches(FilterBlockReader reader, long offset, String key) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    return reader.mayContain(offset, direct(bytes), 0, bytes.length);
  }

  @Test
  void block_empty_matchesEverything() {
    byte[] block = new FilterBlockBuilder(new Exact(), 11).finish();
    assertThat(block).containsExactly(0, 0, 0, 0, 11);
    assertThat(matches(reader(new Exact(), block), 0, "foo")).isTrue();
    assertThat(matches(reader(new Exact(), block), 100_000, "foo")).isTrue();
  }

  @Test
  void block_offsets_areLittleEndian() {
    FilterBlockBuilder builder = new FilterBlockBuilder(new Exact(), 11);
    builder.startBlock(0);
    add(builder, "x".repeat(0x10201));
    byte[] block = builder.finish();
    assertThat(Arrays.copyOfRange(block, block.length - 9, block.length))
        .containsExactly(0, 0, 0, 0, 3, 2, 1, 0, 11);
  }

  @Test
  void block_oneChunk_matchesItsKeys() {
    FilterBlockBuilder builder = new FilterBlockBuilder(new Exact(), 11);
    builder.startBlock(100);
    add(builder, "foo", "bar", "box");
    builder.startBlock(200);
    add(builder, "box");
    builder.startBlock(300);
    add(builder, "hello");
    FilterBlockReader reader = reader(new Exact(), builder.finish());
    for (String key : List.of("foo", "bar", "box", "hello")) {
      assertThat(matches(reader, 100, key)).isTrue();
    }
    assertThat(matches(reader, 100, "missing")).isFalse();
    assertThat(matches(reader, 100, "other")).isFalse();
  }

  @Test
  void block_manyChunks_keepsThemApart() {
    FilterBlockBuilder builder = new FilterBlockBuilder(new Exact(), 11);
    builder.startBlock(0);
    add(builder, "foo");
    builder.startBlock(2000);
    add(builder, "bar");
    builder.startBlock(3100);
    add(builder, "box");
    builder.startBlock(9000);
    add(builder, "box", "hello");
    FilterBlockReader reader = reader(new Exact(), builder.finish());
    assertThat(matches(reader, 0, "foo")).isTrue();
    assertThat(matches(reader, 2000, "bar")).isTrue();
    assertThat(matches(reader, 0, "box")).isFalse();
    assertThat(matches(reader, 3100, "box")).isTrue();
    assertThat(matches(reader, 3100, "foo")).isFalse();
    assertThat(matches(reader, 4100, "foo")).as("empty filter").isFalse();
    assertThat(matches(reader, 9000, "hello")).isTrue();
    assertThat(matches(reader, 9000, "foo")).isFalse();
    assertThat(reader.wholeTable()).isFalse();
  }

  @Test
  void block_base31_isOneFilterForTheTable() {
    BloomFilter bloom = new BloomFilter(10);
    FilterBlockBuilder builder = new FilterBlockBuilder(bloom, 31);
    builder.startBlock(0);
    add(bloom, builder, "foo");
    builder.startBlock(5_000_000);
    add(bloom, builder, "bar");
    FilterBlockReader reader = reader(bloom, builder.finish());
    assertThat(reader.wholeTable()).isTrue();
    assertThat(matches(reader, 0, "foo")).isTrue();
    assertThat(matches(reader, 5_000_000, "bar")).isTrue();
    assertThat(matches(reader, 0, "absent")).isFalse();
  }

  /** A policy that makes the same filter of all keys, as programs may: empty, or null. */
  private record Same(byte @Nullable [] filter) implements FilterPolicy {
    @Override
    public String name() {
      return "test.Same";
    }

    @Override
    @SuppressWarnings("NullAway") // what programs do
    public byte[] createFilter(List<Slice> keys) {
      return filter;
    }

    @Override
    public boolean keyMayMatch(Slice key, Slice made) {
      throw new AssertionError("there is no filter to ask");
    }
  }

  private static FilterBlockBuilder builderForTheTable(FilterPolicy policy, String key) {
    FilterBlockBuilder builder = new FilterBlockBuilder(policy, 31);
    builder.startBlock(0);
    add(policy, builder, key);
    return builder;
  }

  /** A policy may say so that anything matches. */
  @Test
  void block_withAnEmptyFilterForTheTable_asksNothingAndMatchesEverything() {
    FilterPolicy policy = new Same(new byte[0]);
    FilterBlockReader reader = reader(policy, builderForTheTable(policy, "foo").finish());
    assertThat(reader.wholeTable()).isTrue();
    assertThat(matches(reader, 0, "foo")).isTrue();
    assertThat(matches(reader, 5_000_000, "bar")).isTrue();
  }

  @Test
  void policy_thatReturnsNull_isNamed() {
    FilterBlockBuilder builder = builderForTheTable(new Same(null), "foo");
    assertThatThrownBy(builder::finish).hasMessage("the filter policy returned null");
  }

  @Test
  void block_ofManyKeys_matchesAllOfThem() {
    BloomFilter bloom = new BloomFilter(10);
    String[] keys = new String[1000];
    Arrays.setAll(keys, i -> "key" + i);
    FilterBlockBuilder builder = new FilterBlockBuilder(bloom, 11);
    builder.startBlock(0);
    add(bloom, builder, keys);
    FilterBlockReader reader = reader(bloom, builder.finish());
    for (String key : keys) {
      assertThat(matches(reader, 0, key)).isTrue();
    }
  }

  @Test
  void block_withAnEmptyFilterAlone_matchesNothingThere() {
    FilterBlockBuilder builder = new FilterBlockBuilder(new Exact(), 11);
    builder.startBlock(2048);
    FilterBlockReader reader = reader(new Exact(), builder.finish());
    assertThat(matches(reader, 0, "foo")).isFalse();
    assertThat(matches(reader, 2048, "foo")).as("without a filter").isTrue();
  }

  /** A filter only saves reads. */
  @Test
  void block_withAFilterThatEndsBeforeItBegins_matchesEverything() {
    byte[] block = {'x', 'x', 'x', 'x', 2, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 11};
    FilterBlockReader reader = reader(new Exact(), block);
    assertThat(matches(reader, 0, "foo")).isTrue();
    assertThat(matches(reader, 2048, "foo")).isFalse();
    block[4] = 100;
    block[8] = 101;
    assertThat(matches(reader(new Exact(), block), 0, "foo")).as("after the filters").isTrue();
  }

  @Test
  void policy_thatKeepsItsSlices_cannotReadThemLater() {
    List<Slice> kept = new ArrayList<>();
    FilterPolicy keeping =
        new FilterPolicy() {
          @Override
          public String name() {
            return "test.Keeping";
          }

          @Override
          public byte[] createFilter(List<Slice> keys) {
            return new byte[] {1};
          }

          @Override
          public boolean keyMayMatch(Slice key, Slice filter) {
            kept.add(key);
            kept.add(filter);
            assertThat(key.length()).isEqualTo(3);
            assertThat(filter.length()).isEqualTo(1);
            return true;
          }
        };
    FilterBlockBuilder builder = new FilterBlockBuilder(keeping, 11);
    builder.startBlock(0);
    add(keeping, builder, "foo");
    assertThat(matches(reader(keeping, builder.finish()), 0, "foo")).isTrue();
    assertThat(kept).hasSize(2);
    for (Slice slice : kept) {
      assertThatThrownBy(slice::length).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void block_ofAnyBytes_isReadInBounds() {
    Random random = new Random(3);
    for (int i = 0; i < 20_000; i++) {
      byte[] block = new byte[random.nextInt(40)];
      random.nextBytes(block);
      if (block.length > 5 && random.nextBoolean()) {
        block[block.length - 3] = block[block.length - 4] = 0;
        block[block.length - 2] = 0;
      }
      matches(reader(new BloomFilter(10), block), random.nextInt(100_000), "key");
      matches(reader(new Exact(), block), random.nextInt(100_000), "key");
    }
  }
}
