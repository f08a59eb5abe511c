package dev.kv.core.table.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.cache.LruCache;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** The places of blocks, and their stamps. */
class IndexedBlocksTest {
  private final ByteBuffer memory = ByteBuffer.allocateDirect(64);
  private final IndexedBlocks places = new IndexedBlocks(new LruCache<>(1, 0), 1, 2);

  @Test
  void add_block_hasAStampUntilItIsRemoved() {
    assertThat(places.stamp(1)).isZero();
    assertThat(places.memory(1)).isNull();
    assertThat(places.add(1, 0, memory, 0, 8)).isTrue();
    long stamp = places.stamp(1);
    assertThat(stamp).isNotZero();
    assertThat(places.memory(1)).isSameAs(memory);
    assertThat(places.isStill(1, stamp)).isTrue();
    assertThat(places.stamp(0)).isZero();
    places.remove(1);
    assertThat(places.isStill(1, stamp)).isFalse();
    assertThat(places.stamp(1)).isZero();
    assertThat(places.memory(1)).isNull();
  }

  @Test
  void add_sameBlockAgain_hasAnotherStamp() {
    assertThat(places.add(0, 0, memory, 0, 8)).isTrue();
    long stamp = places.stamp(0);
    places.remove(0);
    assertThat(places.add(0, 0, memory, 0, 8)).isTrue();
    assertThat(places.isStill(0, stamp)).isFalse();
  }

  /** A block in the cache refers to the places of its table, which may be many. */
  @Test
  void close_withABlockInTheCache_keepsNoPlace() {
    assertThat(places.add(1, 0, memory, 0, 8)).isTrue();
    places.close();
    assertThat(places.count()).isZero();
    places.remove(1);
    assertThat(places.touched(1, 7)).isEqualTo(7);
  }

  @Test
  void add_anotherCopyOfTheBlock_isRefused() {
    assertThat(places.add(0, 0, memory, 0, 8)).isTrue();
    long stamp = places.stamp(0);
    assertThat(places.add(0, 0, ByteBuffer.allocateDirect(8), 0, 8)).isFalse();
    assertThat(places.memory(0)).isSameAs(memory);
    assertThat(places.isStill(0, stamp)).isTrue();
  }
}
