package dev.kv.core.memtable;

import static dev.kv.core.Bytes.bytes;
import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.memory.ArenaPool;
import dev.kv.core.memory.NativeArena;
import dev.kv.core.memory.OffHeapBudget;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests which keys the filter of a memtable lets through, and when it is due. */
class KeyFilterTest {
  private static final int LIMIT = 4 << 20;

  private final OffHeapBudget budget = new OffHeapBudget(0);
  private final ArenaPool pool = new ArenaPool(budget);

  @AfterEach
  void nothingIsLeft() {
    pool.close();
    assertThat(budget.used()).isZero();
  }

  /** Returns an arena of full size with so many bytes in use. */
  private NativeArena used(int bytes) {
    NativeArena arena = pool.acquire(LIMIT, LIMIT, true);
    arena.allocate(bytes, 1);
    return arena;
  }

  private static byte[] key(String prefix, int number) {
    return bytes(prefix + String.format(Locale.ROOT, "%012d", number));
  }

  @Test
  void mayContain_eachAddedKey_isTrue() {
    long seed = 20261123;
    Random random = new Random(seed);
    NativeArena arena = used(200_000);
    KeyFilter filter = new KeyFilter(arena);
    List<ByteBuffer> keys = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      byte[] key = new byte[random.nextInt(40)];
      random.nextBytes(key);
      keys.add(direct(key));
      filter.add(keys.get(i), 0, key.length);
    }
    for (ByteBuffer key : keys) {
      assertThat(filter.mayContain(key, 0, key.capacity())).as("seed " + seed).isTrue();
    }
    pool.release(arena);
  }

  @Test
  void mayContain_ofAKeyInTheMiddleOfABuffer_readsItsBytesAlone() {
    NativeArena arena = used(200_000);
    KeyFilter filter = new KeyFilter(arena);
    filter.add(direct(key("xkey", 7)), 1, 15);
    assertThat(filter.mayContain(direct(key("yykey", 7)), 2, 15)).isTrue();
    assertThat(filter.mayContain(direct(key("yykey", 7)), 1, 15)).isFalse();
    pool.release(arena);
  }

  @Test
  void mayContain_keysOfAFullMemtable_letsFewOthersThrough() {
    NativeArena arena = used(200_000);
    KeyFilter filter = new KeyFilter(arena);
    for (int i = 0; i < 28_000; i++) { // of 16 and 100 bytes
      filter.add(direct(key("key:", i)), 0, 16);
    }
    int through = 0;
    for (int i = 28_000; i < 128_000; i++) {
      through += filter.mayContain(direct(key("key:", i)), 0, 16) ? 1 : 0;
    }
    assertThat(through).isBetween(1, 1000);
    pool.release(arena);
  }

  @Test
  void filter_inArecycledArena_isEmptyAtFirst() {
    NativeArena before = pool.acquire(LIMIT, LIMIT, true);
    for (int i = 0; i < LIMIT; i += Long.BYTES) {
      before.buffer().putLong(i, ~0L);
    }
    pool.release(before);
    NativeArena arena = used(200_000);
    assertThat(arena).isSameAs(before);
    KeyFilter filter = new KeyFilter(arena);
    for (int i = 0; i < 1000; i++) {
      assertThat(filter.mayContain(direct(key("key:", i)), 0, 16)).isFalse();
    }
    pool.release(arena);
  }

  @Test
  void isDue_dependsOnTheEntriesAndOnTheRoom() {
    int filter = LIMIT / 64;
    NativeArena arena = used(2 * filter - 1);
    assertThat(KeyFilter.isDue(arena, 2L * filter)).as("few entries").isFalse();
    arena.allocate(1, 1);
    assertThat(KeyFilter.isDue(arena, 2L * filter)).isTrue();
    assertThat(KeyFilter.isDue(arena, LIMIT - filter - Long.BYTES)).isTrue();
    assertThat(KeyFilter.isDue(arena, LIMIT - filter - Long.BYTES + 1)).as("no room").isFalse();
    pool.release(arena);
    NativeArena small = pool.acquire(64 * 64 - 8, 0, false);
    small.allocate(1000, 1);
    assertThat(KeyFilter.isDue(small, 1000)).as("a small memtable").isFalse();
    pool.release(small);
    NativeArena smallest = pool.acquire(64 * 64, 0, false);
    smallest.allocate(1000, 1);
    assertThat(KeyFilter.isDue(smallest, 1000)).isTrue();
    pool.release(smallest);
  }
}
