package dev.kv.core.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.bytes.DBComparator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.table.block.Entries;
import dev.kv.core.table.cache.IndexedBlocks;
import dev.kv.core.table.cache.LookupCounts;
import dev.kv.core.table.cache.TableFile;
import dev.kv.core.table.cache.TableLookup;
import dev.kv.options.CompressionType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Reads of cached blocks without a pin. */
class UnpinnedReadTest {
  private static final InternalKeyComparator ORDER =
      new InternalKeyComparator(DBComparator.bytewise());

  private final Entries entries = Entries.internal(ORDER, new Random(7), 500);
  private final byte[] bytes =
      TableBench.build(TableBench.format(1024, 16, CompressionType.NONE), ORDER, entries);

  private List<Entries.Entry> newestOfEachKey() {
    List<Entries.Entry> newest = new ArrayList<>();
    byte[] last = null;
    for (Entries.Entry entry : entries.list()) {
      byte[] user = InternalKey.userKey(entry.key());
      if (!Arrays.equals(user, last)) {
        newest.add(entry);
      }
      last = user;
    }
    return newest;
  }

  /** Looks keys up, and compares what is found with the entries. */
  private static final class Reading implements AutoCloseable {
    final ValueRef value = new ValueRef();
    final LookupKey key;
    final TableLookup lookup;

    Reading(OffHeapBudget budget) {
      key = new LookupKey(budget);
      lookup = new TableLookup(ORDER, budget, key, value, new LookupCounts());
      lookup.setCopies(true);
    }

    void check(Table table, Entries.Entry entry) {
      key.set(InternalKey.userKey(entry.key()), InternalKey.MAX_SEQUENCE);
      int result = table.get(lookup);
      assertThat(lookup.tag()).isEqualTo(InternalKey.tag(entry.key()));
      if (result == LookupResult.FOUND) {
        assertThat(value.copy()).isEqualTo(entry.value());
      } else {
        assertThat(result).isEqualTo(LookupResult.DELETED);
      }
      value.release();
    }

    @Override
    public void close() {
      lookup.close();
      key.close();
    }
  }

  /** Reads all entries so often that their blocks have entry indexes. */
  private static void readThrice(Table table, Reading reading, List<Entries.Entry> all) {
    for (int i = 0; i < 3; i++) {
      all.forEach(entry -> reading.check(table, entry));
    }
  }

  /** Returns how many of the values are found without a pin. */
  private static int unpinned(Table table, Reading reading, List<Entries.Entry> all) {
    int unpinned = 0;
    for (Entries.Entry entry : all) {
      reading.key.set(InternalKey.userKey(entry.key()), InternalKey.MAX_SEQUENCE);
      int result = table.get(reading.lookup);
      unpinned += result == LookupResult.FOUND && reading.value.pin == null ? 1 : 0;
      reading.value.release();
    }
    return unpinned;
  }

  @Test
  void get_indexedBlocks_takesNoPinAndCountsHits() {
    try (TableBench bench = new TableBench(1 << 20);
        Reading reading = new Reading(new OffHeapBudget(0))) {
      Table table = bench.open(MemoryFile.reading(bytes), ORDER);
      List<Entries.Entry> all = newestOfEachKey();
      readThrice(table, reading, all);
      assertThat(bench.cache.hits() + bench.cache.misses()).isEqualTo(3L * all.size());
      assertThat(unpinned(table, reading, all)).isGreaterThan(all.size() / 4);
      table.free();
    }
  }

  @Test
  void get_tableOpenedAgain_readsWithoutAPinAgain() {
    try (TableBench bench = new TableBench(1 << 20);
        Reading reading = new Reading(new OffHeapBudget(0))) {
      List<Entries.Entry> all = newestOfEachKey();
      long id = bench.cache.newId();
      for (int open = 0; open < 3; open++) {
        TableFile file = TableFile.of(MemoryFile.reading(bytes), "000005.ldb");
        Table table = Table.open(file, id, ORDER, null, bench.blocks);
        readThrice(table, reading, all);
        assertThat(unpinned(table, reading, all)).isGreaterThan(all.size() / 4);
        table.free();
      }
    }
  }

  @Test
  void get_moreTablesThanThereIsRoomFor_areReadWithAPin() {
    try (TableBench bench = new TableBench(1 << 20);
        Reading reading = new Reading(new OffHeapBudget(0))) {
      Table table = bench.open(MemoryFile.reading(bytes), ORDER);
      IndexedBlocks others = bench.blocks.newIndexedBlocks(7, 16 << 10);
      assertThat(others).isNotNull();
      List<Entries.Entry> all = newestOfEachKey();
      readThrice(table, reading, all);
      assertThat(unpinned(table, reading, all)).isZero();
      table.free();
      bench.blocks.release(others);
      Table again = bench.open(MemoryFile.reading(bytes), ORDER);
      readThrice(again, reading, all);
      assertThat(unpinned(again, reading, all)).isGreaterThan(all.size() / 4);
      again.free();
    }
  }

  /** A block that is only read without a pin is not the oldest. */
  @Test
  void get_withoutAPin_keepsTheBlockYoung() {
    try (TableBench bench = new TableBench(64 << 10);
        Reading reading = new Reading(new OffHeapBudget(0))) {
      Table table = bench.open(MemoryFile.reading(bytes), ORDER);
      Table cold = bench.open(MemoryFile.reading(bytes), ORDER);
      List<Entries.Entry> all = newestOfEachKey();
      Entries.Entry hot = all.get(0);
      for (int i = 0; i < 3; i++) {
        reading.check(table, hot);
      }
      long misses = 0;
      for (int round = 0; round < 20; round++) {
        for (Entries.Entry entry : all) {
          reading.check(cold, entry);
          long before = bench.cache.misses();
          reading.check(table, hot);
          misses += bench.cache.misses() - before;
        }
      }
      assertThat(misses).isZero();
      table.free();
      cold.free();
    }
  }

  /** The memory of the copy is reserved after the search, and the shortage erases the block. */
  @Test
  void get_blockErasedBeforeTheCopy_isReadAgain() {
    int erasedInside = 0;
    for (Entries.Entry entry : newestOfEachKey()) {
      OffHeapBudget budget = new OffHeapBudget(8 << 10);
      try (TableBench bench = new TableBench(1 << 20);
          Reading warming = new Reading(new OffHeapBudget(0));
          Reading reading = new Reading(budget)) {
        Table table = bench.open(MemoryFile.reading(bytes), ORDER);
        for (int i = 0; i < 3; i++) {
          warming.check(table, entry);
        }
        long filler = budget.limit() - budget.used();
        budget.reserve(MemoryKind.BLOCK, filler);
        AtomicReference<Boolean> erased = new AtomicReference<>(false);
        budget.onShortage(
            () -> {
              budget.release(MemoryKind.BLOCK, filler);
              bench.cache.prune();
              erased.set(true);
            });
        long misses = bench.cache.misses();
        reading.check(table, entry);
        if (erased.get()) {
          erasedInside++;
          assertThat(bench.cache.misses()).isEqualTo(misses + 1);
        } else {
          budget.release(MemoryKind.BLOCK, filler);
        }
        table.free();
      }
    }
    assertThat(erasedInside).isGreaterThan(20);
  }

  @Test
  void get_besideEvictions_findsOnlyItsOwnEntries() throws InterruptedException {
    List<Entries.Entry> all = newestOfEachKey();
    try (TableBench bench = new TableBench(24 << 10)) {
      Table table = bench.open(MemoryFile.reading(bytes), ORDER);
      AtomicReference<Throwable> failure = new AtomicReference<>();
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 3; t++) {
        Random random = new Random(t);
        Thread thread =
            new Thread(
                () -> {
                  try (Reading reading = new Reading(new OffHeapBudget(0))) {
                    for (int i = 0; i < 60_000; i++) {
                      int near = random.nextInt(10) == 0 ? all.size() : 40;
                      reading.check(table, all.get(random.nextInt(near)));
                    }
                  } catch (Throwable e) {
                    failure.set(e);
                  }
                });
        threads.add(thread);
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(failure.get()).isNull();
      table.free();
    }
  }
}
