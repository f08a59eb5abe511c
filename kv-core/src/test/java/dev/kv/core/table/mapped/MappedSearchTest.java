package dev.kv.core.table.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.core.Bytes;
import dev.kv.core.cache.LruCache;
import dev.kv.core.env.MappedBytes;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.BlockAllocator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.table.block.BlockBuilder;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.CachedBlock;
import dev.kv.core.table.cache.LookupCounts;
import dev.kv.core.table.cache.StoredBlocks;
import dev.kv.core.table.cache.TableLookup;
import dev.kv.core.table.cache.UncachedBlock;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Searches of one block in the mapping of its file, which the tests change at chosen moments. The
 * block has the keys a to e, whose values consist of one letter.
 */
class MappedSearchTest {
  /** What the search of a copy returns here. */
  private static final int IN_A_COPY = 99;

  private static final int TRAILER = 5;

  private final OffHeapBudget budget = new OffHeapBudget(0);
  private final BlockAllocator allocator = new BlockAllocator(budget);
  private final LruCache<CachedBlock> cache = CachedBlock.newCache(allocator, 0);
  private final BlockProvider blocks = new BlockProvider(cache, allocator, budget, true);
  private final LookupKey key = new LookupKey(budget);
  private final ValueRef value = new ValueRef();

  /** The order of the keys calls this at each comparison. */
  private Runnable whileComparing = () -> {};

  /** What the next checks for a missed fault answer; false if there is none. */
  private final Deque<Boolean> missedFaults = new ArrayDeque<>();

  /** The next check for a missed fault calls this first. */
  private Runnable whileChecking = () -> {};

  private int absorbed;
  private byte[] file;
  private ByteBuffer mapping;
  private int size;
  private TableLookup lookup;
  private MappedBlockReader reader;

  private static byte[] block(int valueLength, char letter) {
    try (BlockBuilder builder = new BlockBuilder(16, new OffHeapBudget(0))) {
      ByteBuffer bytes = Bytes.direct(Bytes.bytes(("" + letter).repeat(valueLength)));
      for (String each : new String[] {"a", "b", "c", "d", "e"}) {
        byte[] internal = InternalKey.encode(Bytes.bytes(each), 7, ValueKind.VALUE);
        builder.add(Bytes.direct(internal), 0, internal.length, bytes, 0, valueLength);
      }
      byte[] content = new byte[builder.finish()];
      builder.buffer().get(0, content);
      return content;
    }
  }

  private void open(int valueLength, char letter) {
    open(DBComparator.bytewise(), valueLength, letter);
  }

  private void open(DBComparator order, int valueLength, char letter) {
    StoredBlocks stored = new StoredBlocks();
    byte[] block = block(valueLength, letter);
    size = block.length;
    stored.add(block);
    file = stored.bytes();
    mapping = Bytes.direct(file);
    MappedBytes mapped =
        new MappedBytes() {
          @Override
          public ByteBuffer mapping() {
            return mapping;
          }

          @Override
          public void absorbFault() {
            absorbed++;
          }

          @Override
          public boolean absorbMissedFault() {
            whileChecking.run();
            return !missedFaults.isEmpty() && missedFaults.poll();
          }
        };
    lookup =
        new TableLookup(new InternalKeyComparator(order), budget, key, value, new LookupCounts());
    reader =
        new MappedBlockReader(
            StoredBlocks.file(file),
            mapped,
            1,
            blocks,
            new EntryIndexMemory(budget, 0),
            (searched, block0, at, length) -> IN_A_COPY);
  }

  @AfterEach
  void everythingIsGivenBack() {
    value.release();
    lookup.close();
    key.close();
    reader.free();
    blocks.close();
    cache.close();
    allocator.close();
    assertThat(allocator.liveBuffers()).isZero();
    assertThat(budget.used()).isZero();
  }

  private int search(String user) {
    value.release();
    key.set(Bytes.bytes(user), InternalKey.MAX_SEQUENCE);
    return reader.search(lookup, 0, 0, size);
  }

  private void expectFound(int length, char letter) {
    assertThat(search("c")).isEqualTo(LookupResult.FOUND);
    assertThat(new String(value.copy())).isEqualTo(("" + letter).repeat(length));
  }

  private static byte[] stored(int valueLength, char letter) {
    StoredBlocks stored = new StoredBlocks();
    stored.add(block(valueLength, letter));
    return stored.bytes();
  }

  /** Replaces the block by another one that is as long, with its checksum. */
  private void replace(int valueLength, char letter) {
    System.arraycopy(stored(valueLength, letter), 0, file, 0, file.length);
    mapping.put(0, file);
  }

  @Test
  void search_ofAnIntactBlock_findsItsValuesAndNoOthers() {
    open(100, 'v');
    for (int visit = 0; visit < 3; visit++) {
      expectFound(100, 'v');
      assertThat(value.pin).isNull();
      assertThat(search("bb")).isEqualTo(LookupResult.NOT_FOUND);
      assertThat(search("x")).isEqualTo(LookupResult.NOT_FOUND);
    }
    assertThat(absorbed).isZero();
  }

  /** Pages that begin with any byte, that of the check among them. */
  @Test
  void search_ofABlockOfSeveralPages_findsItsValues() {
    for (char letter : new char[] {'Z', '%', 'v'}) {
      open(5000, letter);
      expectFound(5000, letter);
      expectFound(5000, letter);
      assertThat(absorbed).isZero();
      lookup.close();
      reader.free();
    }
    open(100, 'v');
  }

  @Test
  void search_ofABlockThatWasReplaced_isThatOfACopyUntilItIsVerifiedAgain() {
    open(100, 'v');
    expectFound(100, 'v');
    replace(100, 'w');
    assertThat(search("c")).isEqualTo(IN_A_COPY);
    assertThat(absorbed).isEqualTo(1);
    expectFound(100, 'w');
    expectFound(100, 'w');
    assertThat(absorbed).isEqualTo(1);
  }

  @Test
  void search_whileTheMappingShowsAnotherBlock_isThatOfACopy() {
    open(100, 'v');
    expectFound(100, 'v');
    mapping.put(0, stored(100, 'w'));
    for (int i = 1; i <= 2; i++) {
      assertThat(search("c")).isEqualTo(IN_A_COPY);
      assertThat(search("x")).isEqualTo(IN_A_COPY);
    }
    assertThat(absorbed).isEqualTo(4);
    mapping.put(0, file);
    expectFound(100, 'v');
  }

  /** The JVM throws the error of a fault late. */
  @Test
  void search_thatAFaultEnds_isThatOfACopyAndForgetsTheBlock() {
    open(100, 'v');
    expectFound(100, 'v');
    whileChecking =
        () -> {
          whileChecking = () -> {};
          throw new InternalError("a fault occurred in an unsafe memory access operation");
        };
    assertThat(search("c")).isEqualTo(IN_A_COPY);
    assertThat(absorbed).isEqualTo(1);
    assertThat(reader.copy(0, 0, size)).as("not verified any more").isNull();
    expectFound(100, 'v');
  }

  @Test
  void search_whoseSecondVisitFindsAnotherTrailerInTheFile_isThatOfACopy() {
    open(100, 'v');
    expectFound(100, 'v');
    file[size + 1] ^= 1;
    assertThat(search("c")).isEqualTo(IN_A_COPY);
    assertThat(allocator.liveBuffers()).isZero();
    file[size + 1] ^= 1;
    expectFound(100, 'v');
  }

  @Test
  void search_thatMissedAFault_isThatOfACopyAndKeepsNoValue() {
    open(100_000, 'v');
    expectFound(100_000, 'v');
    value.release();
    missedFaults.add(false); // before the memory for the value
    missedFaults.add(true);
    assertThat(search("c")).isEqualTo(IN_A_COPY);
    assertThat(value.pin).isNull();
    assertThat(allocator.liveBuffers()).isZero();
    assertThat(absorbed).isEqualTo(1);
    expectFound(100_000, 'v');
  }

  /** An allocation must not meet the error of a fault. */
  @Test
  void search_ofAChangedBlockWithALargeValue_allocatesNothingForIt() {
    for (int length : new int[] {10_000, 100_000}) {
      open(length, 'v');
      assertThat(search("x")).isEqualTo(LookupResult.NOT_FOUND);
      mapping.put(0, stored(length, 'w'));
      assertThat(search("c")).isEqualTo(IN_A_COPY);
      assertThat(lookup.hasCopyMemory(length)).isFalse();
      assertThat(allocator.liveBuffers()).isZero();
      mapping.put(0, file);
      expectFound(length, 'v');
      value.release();
      lookup.close();
      reader.free();
    }
    open(100, 'v');
  }

  @Test
  void value_ofMoreThan64KiB_hasMemoryOfItsOwn() {
    int most = 64 << 10;
    open(most, 'v');
    expectFound(most, 'v');
    assertThat(value.pin).isNull();
    assertThat(lookup.hasCopyMemory(TableLookup.PROBE_BYTES + most)).isTrue();
    value.release();
    lookup.close();
    reader.free();
    open(most + 1, 'v');
    expectFound(most + 1, 'v');
    assertThat(value.pin).isNotNull();
    assertThat(lookup.hasCopyMemory(most + 1)).isFalse();
  }

  /** As another thread that finds a change at this moment. */
  @Test
  void search_ofABlockThatIsForgottenMeanwhile_isThatOfACopy() {
    DBComparator order =
        new DBComparator() {
          @Override
          public String name() {
            return "watched";
          }

          @Override
          public int compare(Slice a, Slice b) {
            whileComparing.run();
            return a.compareTo(b);
          }
        };
    open(order, 100, 'v');
    expectFound(100, 'v');
    expectFound(100, 'v');
    whileComparing =
        () -> {
          whileComparing = () -> {};
          file[size] = 1;
          UncachedBlock copy = reader.copy(0, 0, size);
          assertThat(copy).isNull();
          file[size] = 0;
        };
    assertThat(search("c")).isEqualTo(IN_A_COPY);
    expectFound(100, 'v');
  }

  @Test
  void copy_ofABlockWithAnotherTrailer_isClosed() {
    open(100, 'v');
    expectFound(100, 'v');
    file[size + TRAILER - 1] ^= 1;
    assertThat(reader.copy(0, 0, size)).isNull();
    assertThat(allocator.liveBuffers()).isZero();
    assertThat(absorbed).isEqualTo(1);
  }
}
