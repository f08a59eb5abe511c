package dev.kv.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.errors.OffHeapExhaustedException;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class BlockAllocatorTest {
  private final OffHeapBudget budget = new OffHeapBudget(64 << 20);
  private final BlockAllocator allocator = new BlockAllocator(budget);

  @Test
  void sizeClasses_everyLength_fitItsSlotWithLittleWaste() {
    int step = 1;
    for (int length = 1; length <= BlockAllocator.SizeClasses.LARGEST; length += step) {
      step = length < 1 << 17 ? 1 : 4093;
      int index = BlockAllocator.SizeClasses.indexOf(length);
      int size = BlockAllocator.SizeClasses.size(index);
      assertThat(size).isGreaterThanOrEqualTo(length);
      assertThat(size - length).isLessThanOrEqualTo(Math.max(63, length / 16));
      assertThat(index == 0 || BlockAllocator.SizeClasses.size(index - 1) < length).isTrue();
    }
  }

  @Test
  void allocate_manySizes_neverOverlap() {
    Random random = new Random(5);
    List<ByteBuf> held = new ArrayList<>();
    List<Byte> marks = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      if (held.size() > 200 || random.nextInt(3) == 0 && !held.isEmpty()) {
        int at = random.nextInt(held.size());
        ByteBuf buf = held.remove(at);
        byte mark = marks.remove(at);
        ByteBuffer view = BlockAllocator.viewOf(buf);
        assertThat(view.get(0)).isEqualTo(mark);
        assertThat(view.get(view.capacity() - 1)).isEqualTo(mark);
        assertThat(buf.release()).isTrue();
      } else {
        int length = 1 + random.nextInt(random.nextInt(10) == 0 ? 100_000 : 5_000);
        ByteBuf buf = allocator.allocate(MemoryKind.BLOCK, length);
        ByteBuffer view = BlockAllocator.viewOf(buf);
        assertThat(view.capacity()).isGreaterThanOrEqualTo(length);
        byte mark = (byte) i;
        view.put(0, mark).put(view.capacity() - 1, mark);
        held.add(buf);
        marks.add(mark);
      }
      assertThat(allocator.liveBuffers()).isEqualTo(held.size());
    }
    held.forEach(ByteBuf::release);
    allocator.close();
    assertThat(allocator.liveBuffers()).isZero();
    assertThat(budget.used()).isZero();
  }

  @Test
  void allocate_kinds_areCountedApart() {
    ByteBuf index = allocator.allocate(MemoryKind.INDEX_AND_FILTER, 5000);
    ByteBuf block = allocator.allocate(MemoryKind.BLOCK, 4000);
    assertThat(budget.used(MemoryKind.INDEX_AND_FILTER)).isEqualTo(BlockAllocator.chargeOf(index));
    assertThat(budget.used(MemoryKind.BLOCK)).isPositive();
    index.release();
    assertThat(budget.used(MemoryKind.INDEX_AND_FILTER)).isZero();
    block.release();
    allocator.close();
    assertThat(budget.used()).isZero();
  }

  @Test
  void tryAllocate_budgetSpent_takesFreeSlotsAndHasNothingGivenUp() {
    int[] asked = new int[1];
    budget.onShortage(() -> asked[0]++);
    ByteBuf first = allocator.allocate(MemoryKind.BLOCK, 1000);
    budget.reserve(MemoryKind.MEMTABLE, budget.limit() - budget.used());
    ByteBuf second = allocator.tryAllocate(MemoryKind.INDEX_AND_FILTER, 1000);
    assertThat(second).isNotNull();
    assertThat(allocator.tryAllocate(MemoryKind.INDEX_AND_FILTER, 5000)).isNull();
    assertThat(allocator.tryAllocate(MemoryKind.INDEX_AND_FILTER, 10 << 20)).isNull();
    assertThat(asked[0]).isZero();
    assertThatThrownBy(() -> allocator.allocate(MemoryKind.INDEX_AND_FILTER, 5000))
        .isInstanceOf(OffHeapExhaustedException.class);
    assertThat(asked[0]).isEqualTo(1);
    budget.release(MemoryKind.MEMTABLE, 20 << 20);
    ByteBuf large = allocator.tryAllocate(MemoryKind.INDEX_AND_FILTER, 10 << 20);
    assertThat(large).isNotNull();
    first.release();
    second.release();
    large.release();
    allocator.close();
    assertThat(allocator.liveBuffers()).isZero();
  }

  @Test
  void allocate_overTheLimit_isRefusedAndRecovers() {
    List<ByteBuf> held = new ArrayList<>();
    assertThatThrownBy(
            () -> {
              while (true) {
                held.add(allocator.allocate(MemoryKind.BLOCK, 60_000));
              }
            })
        .isInstanceOf(OffHeapExhaustedException.class)
        .hasMessageContaining("offHeapLimit");
    assertThat(budget.used()).isLessThanOrEqualTo(budget.limit());
    held.forEach(ByteBuf::release);
    allocator.allocate(MemoryKind.BLOCK, 60_000).release();
    allocator.close();
    assertThat(budget.used()).isZero();
  }

  @Test
  void release_twice_isAnErrorThatShowsTheFirst() {
    ByteBuf buf = allocator.allocate(MemoryKind.BLOCK, 100);
    buf.release();
    assertThatThrownBy(buf::release)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("twice")
        .hasCauseInstanceOf(Throwable.class);
  }

  @Test
  void release_memory_isPoisonedAndALateWriteShows() {
    ByteBuf buf = allocator.allocate(MemoryKind.BLOCK, 100);
    ByteBuffer view = BlockAllocator.viewOf(buf);
    view.put(3, (byte) 1);
    buf.release();
    assertThat(view.get(3)).isEqualTo(Invariants.POISON);
    view.put(3, (byte) 1);
    assertThatThrownBy(() -> allocator.allocate(MemoryKind.BLOCK, 100))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("after its release");
  }

  @Test
  void retain_releasedOnce_keepsTheMemory() {
    ByteBuf buf = allocator.allocate(MemoryKind.BLOCK, 100).retain();
    buf.release();
    assertThat(allocator.liveBuffers()).isEqualTo(1);
    buf.release();
    assertThat(allocator.liveBuffers()).isZero();
  }

  @Test
  void release_ofAStaleBuffer_doesNotReleaseForItsSuccessor() {
    ByteBuf stale = allocator.allocate(MemoryKind.BLOCK, 100);
    stale.release();
    ByteBuf successor = allocator.allocate(MemoryKind.BLOCK, 100);
    assertThatThrownBy(stale::release).isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> stale.release(1)).isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> BlockAllocator.viewOf(stale))
        .isInstanceOf(AssertionError.class)
        .hasCauseInstanceOf(Throwable.class);
    assertThat(successor.refCnt()).isEqualTo(1);
    successor.release();
  }

  @Test
  void allocate_bigBuffers_areRecycled() {
    allocator.allocate(MemoryKind.BLOCK, 3 << 20).release();
    long used = budget.used();
    for (int i = 0; i < 100; i++) {
      allocator.allocate(MemoryKind.BLOCK, 3 << 20).release();
    }
    assertThat(budget.used()).isEqualTo(used);
    allocator.allocate(MemoryKind.BLOCK, BlockAllocator.SizeClasses.LARGEST + 1).release();
    assertThat(budget.used()).as("above the classes").isEqualTo(used);
  }

  /** Slabs of sizes that nobody asks for any more must not cost those in use theirs. */
  @Test
  void allocate_oneSizeOverAndOverAfterManyOthers_goesOnWithOneSlab() {
    for (int size = 64 << 10; size <= 512 << 10; size += 8 << 10) {
      allocator.allocate(MemoryKind.BLOCK, size).release();
    }
    assertThat(budget.used()).as("what is kept").isBetween(1L << 20, 2L << 20);
    allocator.allocate(MemoryKind.BLOCK, 4096).release();
    long used = budget.used();
    for (int i = 0; i < 100; i++) {
      ByteBuf again = allocator.allocate(MemoryKind.BLOCK, 4096);
      assertThat(budget.used()).as("with a buffer out").isEqualTo(used);
      again.release();
      assertThat(budget.used()).as("with none").isEqualTo(used);
    }
    allocator.close();
    assertThat(budget.used()).isZero();
  }

  @Test
  void allocate_budgetShort_takesBackWhatIsOnlyKept() {
    OffHeapBudget small = new OffHeapBudget(300 << 10);
    BlockAllocator blocks = new BlockAllocator(small);
    ArenaPool arenas = new ArenaPool(small);
    arenas.release(arenas.acquire(100 << 10));
    blocks.allocate(MemoryKind.BLOCK, 1000).release();
    assertThat(small.used()).as("both keep something").isGreaterThan(110 << 10);
    ByteBuf big = blocks.allocate(MemoryKind.BLOCK, 280 << 10);
    assertThat(small.used()).isEqualTo(BlockAllocator.chargeOf(big));
    big.release();
    arenas.release(arenas.acquire(290 << 10));
    blocks.close();
    arenas.close();
    assertThat(small.used()).isZero();
  }

  /** A cache that evicts its oldest buffers; the hot ones are never evicted. */
  private static final class OldestFirst implements BlockAllocator.Evictor {
    private static final int HOT_EVERY = 16;

    private final long capacity;
    private final Deque<ByteBuf> evictable = new ArrayDeque<>();
    private final List<ByteBuf> hot = new ArrayList<>();
    private long charge;

    OldestFirst(long capacity) {
      this.capacity = capacity;
    }

    void add(ByteBuf buf, int number) {
      charge += BlockAllocator.chargeOf(buf);
      if (number % HOT_EVERY == 0 && hot.size() < 50) {
        hot.add(buf);
      } else {
        evictable.add(buf);
      }
      if (charge > capacity) {
        evict(charge - capacity);
      }
    }

    void close() {
      evict(Long.MAX_VALUE);
      hot.forEach(ByteBuf::release);
    }

    @Override
    public long capacity() {
      return capacity;
    }

    @Override
    public long totalCharge() {
      return charge;
    }

    @Override
    public long evict(long bytes) {
      long evicted = 0;
      while (evicted < bytes && !evictable.isEmpty()) {
        ByteBuf oldest = evictable.remove();
        evicted += BlockAllocator.chargeOf(oldest);
        oldest.release();
      }
      charge -= evicted;
      return evicted;
    }
  }

  /**
   * Small blocks, of which a few stay for good, spread over all slabs; then blocks of other sizes,
   * which cannot use the slots between them.
   */
  @Test
  void allocateCached_sizesThatChange_keepsToTheCacheAndItsShareOfFreeSlots() {
    long capacity = 8 << 20;
    OldestFirst cache = new OldestFirst(capacity);
    allocator.serve(cache);
    long most = 0;
    for (int i = 0; i < 60_000; i++) {
      int size = 1000 + i / 10_000 * 1500 + i % 7 * 100;
      cache.add(allocator.allocateCached(size), i);
      allocator.allocateTransient(i % 100_000).release();
      most = Math.max(most, budget.used());
    }
    long slab = 1 << 20;
    assertThat(most).isBetween(capacity, capacity + capacity / 4 + (2 << 20) + slab);
    assertThat(cache.totalCharge()).as("what is left for the cache").isGreaterThan(capacity / 2);
    cache.close();
    allocator.close();
    assertThat(budget.used()).isZero();
  }

  /** As a cache of a few large blocks, in which a new one takes the place of an old one. */
  @Test
  void allocateCached_largeBlocksOfManySizes_reuseFreeSlotsOfLargerClasses() {
    Random random = new Random(3);
    Deque<ByteBuf> held = new ArrayDeque<>();
    int reused = 0;
    for (int i = 0; i < 2000; i++) {
      long before = budget.used();
      int length = (64 << 10) + random.nextInt(64 << 10);
      ByteBuf buf = allocator.allocateCached(length);
      assertThat(BlockAllocator.chargeOf(buf)).isBetween(length, length + length / 3);
      reused += budget.used() == before ? 1 : 0;
      held.add(buf);
      if (held.size() > 20) {
        held.remove().release();
      }
    }
    assertThat(reused).isGreaterThan(1500);
    held.forEach(ByteBuf::release);
    allocator.close();
    assertThat(budget.used()).isZero();
  }

  /** The classes of a merge's blocks would otherwise keep a slab each. */
  @Test
  void allocateTransient_manySizes_sharesFewClasses() {
    Set<Integer> charges = new TreeSet<>();
    for (int length = 16 << 10; length <= 32 << 10; length += 100) {
      ByteBuf buf = allocator.allocateTransient(length);
      charges.add(BlockAllocator.chargeOf(buf));
      buf.release();
    }
    assertThat(charges).containsExactly(16 << 10, 24 << 10, 32 << 10);
    allocator.close();
    assertThat(budget.used()).isZero();
  }

  @Test
  void allocate_ofTheLargestClass_isRecycled() {
    int largest = BlockAllocator.SizeClasses.LARGEST;
    allocator.allocate(MemoryKind.BLOCK, largest).release();
    assertThat(budget.used()).isEqualTo(largest);
    allocator.trim();
    assertThat(budget.used()).isZero();
    allocator.tryAllocate(MemoryKind.BLOCK, largest).release();
    assertThat(budget.used()).isEqualTo(largest);
    allocator.trim();
    allocator.tryAllocate(MemoryKind.BLOCK, largest + 1).release();
    assertThat(budget.used()).isZero();
  }

  /** The free slot is of the next class, up to a quarter larger, or too large. */
  @Test
  void allocate_from32KiBOn_takesAFreeSlotUpToAQuarterLarger() {
    for (int free : new int[] {34 << 10, 40 << 10}) {
      allocator.allocate(MemoryKind.BLOCK, free).release();
      ByteBuf buf = allocator.allocate(MemoryKind.BLOCK, 32 << 10);
      assertThat(BlockAllocator.chargeOf(buf)).isEqualTo(free);
      buf.release();
      allocator.trim();
    }
    allocator.allocate(MemoryKind.BLOCK, 42 << 10).release();
    ByteBuf buf = allocator.allocate(MemoryKind.BLOCK, 32 << 10);
    assertThat(BlockAllocator.chargeOf(buf)).isEqualTo(32 << 10);
    buf.release();
    allocator.trim();
    allocator.allocate(MemoryKind.BLOCK, 34 << 10).release();
    buf = allocator.allocate(MemoryKind.BLOCK, (32 << 10) - 2048);
    assertThat(BlockAllocator.chargeOf(buf)).isEqualTo((32 << 10) - 2048);
    buf.release();
  }

  /** A class that holds few buffers has few free slots. */
  @Test
  void allocate_ofOneSize_takesSlabsOfAnEighthOfWhatItUses() {
    List<ByteBuf> held = new ArrayList<>();
    for (int i = 0; i < 17; i++) {
      held.add(allocator.allocate(MemoryKind.BLOCK, 1024));
    }
    assertThat(budget.used()).as("two slabs of 16 KiB").isEqualTo(32 << 10);
    for (int i = 17; i < 2048; i++) {
      held.add(allocator.allocate(MemoryKind.BLOCK, 1024));
    }
    assertThat(budget.used()).as("free slots").isBetween(2L << 20, (2L << 20) + (256 << 10));
    held.forEach(ByteBuf::release);
    allocator.trim();
    assertThat(budget.used()).isZero();
    allocator.allocate(MemoryKind.BLOCK, 1024).release();
    assertThat(budget.used()).as("a small one again").isEqualTo(16 << 10);
  }

  @Test
  void close_ofAnAllocatorInUse_dropsEachSlabWithItsLastBuffer() {
    List<ByteBuf> held = new ArrayList<>();
    for (int i = 0; i < 32; i++) {
      held.add(allocator.allocate(MemoryKind.BLOCK, 1024));
    }
    assertThat(budget.used()).isEqualTo(32 << 10);
    allocator.close();
    held.subList(0, 16).forEach(ByteBuf::release);
    assertThat(budget.used()).isEqualTo(16 << 10);
    held.subList(16, 32).forEach(ByteBuf::release);
    assertThat(budget.used()).isZero();
  }

  // Free slots.

  /** The free slots that are allowed without a cache. */
  private static final long LEAST_FREE = 2 << 20;

  private static final int SPREAD_SLOT = 1024;

  /** Makes so many bytes of free slots, each slab with a buffer that is held. */
  private List<ByteBuf> spread(long free) {
    List<ByteBuf> all = new ArrayList<>();
    for (int i = 0; i < free / SPREAD_SLOT * 17 / 16; i++) {
      all.add(allocator.allocate(MemoryKind.BLOCK, SPREAD_SLOT));
    }
    List<ByteBuf> held = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      if (i % 16 == 0 || budget.used() - live() == free) { // a slab has sixteen slots or more
        held.add(all.get(i));
      } else {
        all.get(i).release();
      }
    }
    assertThat(budget.used() - live()).isEqualTo(free);
    return held;
  }

  private long live() {
    return allocator.liveBuffers() * SPREAD_SLOT;
  }

  /** A slab for 5 KiB has three slots. It is not made if its free ones are too many. */
  @Test
  void allocate_withFreeSlotsSpreadOverSlabs_makesASlabUpToTheLimit() {
    List<ByteBuf> held = spread(LEAST_FREE - (10 << 10));
    long before = budget.used();
    ByteBuf buf = allocator.allocate(MemoryKind.BLOCK, 5 << 10);
    assertThat(budget.used() - before).isEqualTo(15 << 10);
    buf.release();
    held.forEach(ByteBuf::release);
  }

  @Test
  void allocate_withTooManyFreeSlotsSpreadOverSlabs_makesASingleSlot() {
    List<ByteBuf> held = spread(LEAST_FREE - (9 << 10));
    long before = budget.used();
    ByteBuf buf = allocator.allocate(MemoryKind.BLOCK, 5 << 10);
    assertThat(budget.used() - before).isEqualTo(5 << 10);
    buf.release();
    held.forEach(ByteBuf::release);
  }

  @Test
  void allocate_withTooManyFreeSlotsAndAnEmptySlab_dropsTheEmptyOneFirst() {
    List<ByteBuf> held = spread(LEAST_FREE - (20 << 10));
    allocator.allocate(MemoryKind.BLOCK, 16 << 10).release();
    long before = budget.used();
    ByteBuf buf = allocator.allocate(MemoryKind.BLOCK, 5 << 10);
    assertThat(budget.used() - before).isEqualTo((15 << 10) - (16 << 10));
    buf.release();
    held.forEach(ByteBuf::release);
  }

  /** It would otherwise get new memory for each buffer. */
  @Test
  void release_withTooManyFreeSlots_keepsOneSlabOfTheClassInUse() {
    List<ByteBuf> held = spread(LEAST_FREE + (64 << 10));
    long before = budget.used();
    ByteBuf one = allocator.allocate(MemoryKind.BLOCK, 20 << 10);
    ByteBuf two = allocator.allocate(MemoryKind.BLOCK, 20 << 10);
    assertThat(budget.used() - before).isEqualTo(40 << 10);
    one.release();
    assertThat(budget.used() - before).isEqualTo(40 << 10);
    two.release();
    assertThat(budget.used() - before).isEqualTo(20 << 10);
    for (int i = 0; i < 10; i++) {
      one = allocator.allocate(MemoryKind.BLOCK, 20 << 10);
      assertThat(budget.used() - before).isEqualTo(20 << 10);
      one.release();
      assertThat(budget.used() - before).isEqualTo(20 << 10);
    }
    allocator.allocate(MemoryKind.BLOCK, 24 << 10).release();
    assertThat(budget.used() - before).as("of the class used last").isEqualTo(24 << 10);
    held.forEach(ByteBuf::release);
  }

  /** One slab for each of sixteen classes, 3.06 MiB in all, which become empty one by one. */
  @Test
  void release_ofBuffersOfManySizes_keepsEmptySlabsUpToTheLimit() {
    List<ByteBuf> held = new ArrayList<>();
    long live = 0;
    for (int size = 256 << 10; size > 128 << 10; size -= 8 << 10) {
      held.add(allocator.allocate(MemoryKind.BLOCK, size));
      live += size;
    }
    assertThat(budget.used()).isEqualTo(live);
    long kept = 0;
    int drops = 0;
    for (ByteBuf buf : held) {
      int charge = BlockAllocator.chargeOf(buf);
      buf.release();
      live -= charge;
      long free = budget.used() - live;
      if (kept + charge <= LEAST_FREE) {
        assertThat(free).as("there is room").isEqualTo(kept + charge);
      } else {
        drops++;
        long eighth = LEAST_FREE / 8;
        assertThat(free).isBetween(LEAST_FREE - eighth - (256 << 10), LEAST_FREE - eighth);
      }
      kept = free;
    }
    assertThat(drops).isBetween(2, 8);
  }

  /** A cache whose entries have their memory elsewhere. */
  private final class FakeCache implements BlockAllocator.Evictor {
    private static final long CAPACITY = 4 << 20;

    private long charge = CAPACITY;
    private long evicted;
    private boolean pinned;
    private Runnable atEviction = () -> {};

    @Override
    public long capacity() {
      return CAPACITY;
    }

    @Override
    public long totalCharge() {
      return charge;
    }

    @Override
    public long evict(long bytes) {
      if (pinned) {
        return 0;
      }
      charge -= bytes;
      evicted += bytes;
      atEviction.run();
      return bytes;
    }
  }

  /** With a cache of 4 MiB, free slots may take 3 MiB. */
  private FakeCache cacheAndSpread(long beyond) {
    FakeCache cache = new FakeCache();
    allocator.serve(cache);
    spread((3 << 20) + beyond);
    return cache;
  }

  @Test
  void release_withACache_keepsAQuarterOfItsCapacityToo() {
    allocator.serve(new FakeCache());
    List<ByteBuf> held = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      held.add(allocator.allocate(MemoryKind.BLOCK, 256 << 10));
    }
    held.forEach(ByteBuf::release);
    assertThat(budget.used()).isEqualTo(3 << 20);
  }

  @Test
  void allocateCached_withFreeSlotsUpToTheLimit_evictsNothing() {
    FakeCache cache = cacheAndSpread(0);
    allocator.allocateCached(5 << 10);
    assertThat(cache.evicted).isZero();
  }

  @Test
  void allocateCached_withTooManyFreeSlots_evictsUntilTheSumFits() {
    FakeCache cache = cacheAndSpread(100 << 10);
    allocator.allocate(MemoryKind.BLOCK, 5 << 10); // not for the cache
    assertThat(cache.evicted).isZero();
    allocator.allocateCached(6 << 10); // 106 KiB too many, in steps of 64 KiB
    assertThat(cache.evicted).isEqualTo(128 << 10);
  }

  @Test
  void allocateCached_withTooManyFreeSlotsBesideACacheThatIsNotFull_evictsOnlyWhatIsTooMuch() {
    FakeCache cache = cacheAndSpread(100 << 10);
    cache.charge = FakeCache.CAPACITY - (105 << 10);
    allocator.allocateCached(5 << 10);
    assertThat(cache.evicted).isZero();
    cache.charge++;
    allocator.allocateCached(6 << 10);
    assertThat(cache.evicted).isEqualTo(64 << 10);
  }

  @Test
  void allocateCached_ofALargeBlockWithTooManyFreeSlots_evictsAsMuchAtOnce() {
    FakeCache cache = cacheAndSpread(1024);
    allocator.allocateCached(256 << 10);
    assertThat(cache.evicted).isEqualTo(512 << 10);
  }

  @Test
  void allocateCached_withTooManyFreeSlotsAndAllPinned_getsNewMemory() {
    FakeCache cache = cacheAndSpread(1024);
    cache.pinned = true;
    long before = budget.used();
    allocator.allocateCached(5 << 10);
    assertThat(budget.used() - before).isEqualTo(5 << 10);
  }

  @Test
  void allocateCached_forWhichTheCacheEvictsOneOfItsSize_takesItsSlot() {
    FakeCache cache = cacheAndSpread(1 << 20);
    ByteBuf evicted = allocator.allocate(MemoryKind.BLOCK, 5 << 10);
    long before = budget.used();
    cache.atEviction = evicted::release;
    allocator.allocateCached(5 << 10);
    assertThat(cache.evicted).isEqualTo(64 << 10);
    assertThat(budget.used()).isEqualTo(before);
  }

  @Test
  void allocateCached_forWhichTheCacheEvictsOthers_dropsTheirSlabs() {
    FakeCache cache = cacheAndSpread(20 << 10);
    ByteBuf evicted = allocator.allocate(MemoryKind.BLOCK, 20 << 10);
    long before = budget.used();
    cache.atEviction = evicted::release;
    allocator.allocateCached(5 << 10);
    assertThat(cache.evicted).isEqualTo(64 << 10);
    assertThat(budget.used()).isEqualTo(before - (20 << 10) + (5 << 10));
  }

  @Test
  void release_ofSeveralReferences_returnsTrueForTheLast() {
    ByteBuf buf = allocator.allocate(MemoryKind.BLOCK, 100).retain(3);
    assertThat(buf.release(3)).isFalse();
    assertThat(allocator.liveBuffers()).isEqualTo(1);
    assertThat(buf.release(1)).isTrue();
    assertThat(allocator.liveBuffers()).isZero();
  }

  /** As a value that a program keeps: it outlives the cache's entry and the database. */
  @Test
  void retainedSlice_ofABufferReleasedByItsOwner_isValidAfterTheClose() {
    ByteBuf block = allocator.allocateCached(100);
    BlockAllocator.viewOf(block).put(10, (byte) 42);
    ByteBuf kept = block.retainedSlice(10, 20);
    assertThat(block.release()).as("the cache's reference").isFalse();
    allocator.close();
    assertThat(kept.getByte(0)).isEqualTo((byte) 42);
    assertThat(budget.used()).isPositive();
    assertThat(kept.release()).isTrue();
    assertThat(allocator.liveBuffers()).isZero();
    assertThat(budget.used()).isZero();
  }

  @Test
  void allocate_noRoomForASlab_takesASingleSlot() {
    OffHeapBudget small = new OffHeapBudget(10_000);
    BlockAllocator blocks = new BlockAllocator(small);
    ByteBuf first = blocks.allocate(MemoryKind.BLOCK, 4096);
    ByteBuf second = blocks.allocate(MemoryKind.BLOCK, 4096);
    assertThat(small.used()).isEqualTo(8192);
    assertThatThrownBy(() -> blocks.allocate(MemoryKind.BLOCK, 4096))
        .isInstanceOf(OffHeapExhaustedException.class);
    first.release();
    second.release();
    blocks.close();
    assertThat(small.used()).isZero();
  }

  @Test
  void liveAllocations_leak_isNamedWithItsPlace() {
    allocator.allocate(MemoryKind.BLOCK, 10).release();
    ByteBuf leaked = allocator.allocate(MemoryKind.BLOCK, 10);
    assertThat(allocator.liveAllocations()).hasSize(1);
    assertThat(allocator.liveAllocations().get(0)).hasStackTraceContaining("isNamedWithItsPlace");
    leaked.release();
    assertThat(allocator.liveAllocations()).isEmpty();
  }

  @Test
  void close_buffersOut_areTakenBackWhenReleased() {
    ByteBuf buf = allocator.allocate(MemoryKind.INDEX_AND_FILTER, 100);
    allocator.close();
    assertThat(budget.used(MemoryKind.INDEX_AND_FILTER)).isPositive();
    buf.release();
    assertThat(budget.used()).isZero();
  }

  /** Each thread writes its own mark into what it gets and finds it there again. */
  @Test
  void allocate_manyThreads_neverShareMemory() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<Integer>> results = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        int mark = t + 1;
        results.add(threads.submit(() -> churn(mark)));
      }
      for (Future<Integer> result : results) {
        assertThat(result.get()).as("foreign marks").isZero();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(allocator.liveBuffers()).isZero();
    allocator.close();
    assertThat(budget.used()).isZero();
  }

  private int churn(int mark) {
    Random random = new Random(mark);
    ByteBuf[] held = new ByteBuf[32];
    int foreign = 0;
    for (int i = 0; i < 5_000; i++) {
      int at = random.nextInt(held.length);
      ByteBuf old = held[at];
      if (old != null) {
        ByteBuffer view = BlockAllocator.viewOf(old);
        foreign += view.getInt(0) == mark && view.getInt(view.capacity() - 4) == mark ? 0 : 1;
        old.release();
      }
      held[at] = allocator.allocate(MemoryKind.BLOCK, 64 + 64 * random.nextInt(4));
      ByteBuffer view = BlockAllocator.viewOf(held[at]);
      view.putInt(0, mark).putInt(view.capacity() - 4, mark);
    }
    for (ByteBuf left : held) {
      if (left != null) {
        left.release();
      }
    }
    return foreign;
  }
}
