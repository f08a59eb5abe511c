package dev.kv.core.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.bytes.DBComparator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.table.block.Entries;
import dev.kv.core.table.cache.LookupCounts;
import dev.kv.core.table.cache.ReadFlags;
import dev.kv.core.table.cache.TableLookup;
import dev.kv.core.table.format.TableFormat;
import dev.kv.options.CompressionType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class BlockBloomCacheTest {
  private static final InternalKeyComparator BYTEWISE =
      new InternalKeyComparator(DBComparator.bytewise());

  private static final InternalKeyComparator OTHER = new InternalKeyComparator(new OtherOrder());

  private static final ReadFlags UNVERIFIED = ReadFlags.of(false, true);

  /** A table whose blocks are read again for each lookup that gets as far. */
  private static final class OneTable implements AutoCloseable {
    private final TableBench bench;
    private final MemoryFile.Reading file;
    private final Table reader;
    private final InternalKeyComparator order;
    private final List<byte[]> present;
    private final List<byte[]> missing;

    OneTable(InternalKeyComparator order, int blockSize, long offHeapLimit) {
      this.order = order;
      bench = new TableBench(0, offHeapLimit);
      Entries entries = Entries.internal(order, new Random(7), 500);
      TableFormat format = TableBench.format(blockSize, 16, CompressionType.SNAPPY);
      file = MemoryFile.reading(TableBench.build(format, order, entries));
      reader = bench.open(file, order);
      present = entries.list().stream().map(e -> InternalKey.userKey(e.key())).toList();
      missing = present.stream().map(k -> (new String(k) + "/missing").getBytes()).toList();
    }

    /** Looks keys up and returns how many blocks that took. */
    int readsFor(List<byte[]> users, boolean found, ReadFlags flags) {
      int before = file.reads;
      OffHeapBudget own = new OffHeapBudget(0);
      ValueRef out = new ValueRef();
      try (LookupKey key = new LookupKey(own);
          TableLookup lookup = new TableLookup(order, own, key, out, new LookupCounts())) {
        lookup.setFlags(flags);
        for (byte[] user : users) {
          key.set(user, InternalKey.MAX_SEQUENCE);
          int result = reader.get(lookup);
          assertThat(result != LookupResult.NOT_FOUND).isEqualTo(found);
          out.release();
        }
      }
      return file.reads - before;
    }

    @Override
    public void close() {
      reader.free();
      bench.close();
    }
  }

  @Test
  void get_missingKeysAgain_readsHardlyABlock() {
    try (OneTable table = new OneTable(BYTEWISE, 1024, 0)) {
      int blocks = table.reader.index().count();
      assertThat(table.readsFor(table.missing, false, ReadFlags.DEFAULT)).isLessThan(blocks + 30);
      assertThat(table.readsFor(table.missing, false, ReadFlags.DEFAULT)).isLessThan(30);
      assertThat(table.readsFor(table.present, true, ReadFlags.DEFAULT)).isEqualTo(500);
    }
  }

  @Test
  void get_unverified_learnsNothing() {
    try (OneTable table = new OneTable(BYTEWISE, 1024, 0)) {
      int first = table.readsFor(table.missing, false, UNVERIFIED);
      assertThat(table.readsFor(table.missing, false, UNVERIFIED)).isEqualTo(first);
    }
  }

  @Test
  void get_orderThatIsNotOfBytes_learnsNothing() {
    try (OneTable table = new OneTable(OTHER, 1024, 0)) {
      int first = table.readsFor(table.missing, false, ReadFlags.DEFAULT);
      assertThat(table.readsFor(table.missing, false, ReadFlags.DEFAULT)).isEqualTo(first);
    }
  }

  @Test
  void get_blocksOfManyKeys_areReadEachTime() {
    try (OneTable table = new OneTable(BYTEWISE, 1 << 20, 0)) {
      int first = table.readsFor(table.missing, false, ReadFlags.DEFAULT);
      assertThat(table.readsFor(table.missing, false, ReadFlags.DEFAULT)).isEqualTo(first);
      assertThat(table.readsFor(table.present, true, ReadFlags.DEFAULT)).isEqualTo(500);
    }
  }

  @Test
  void get_budgetSpent_learnsNothing() {
    try (OneTable table = new OneTable(BYTEWISE, 1024, 1)) {
      int first = table.readsFor(table.missing, false, ReadFlags.DEFAULT);
      assertThat(table.readsFor(table.missing, false, ReadFlags.DEFAULT)).isEqualTo(first);
      assertThat(table.readsFor(table.present, true, ReadFlags.DEFAULT)).isPositive();
    }
  }

  @Test
  void get_manyThreadsLearn_presentKeysAreFound() throws Exception {
    int threads = 4;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      for (int round = 0; round < 20; round++) {
        try (OneTable table = new OneTable(BYTEWISE, 1024, 0)) {
          CyclicBarrier start = new CyclicBarrier(threads);
          List<Future<?>> running = new ArrayList<>();
          for (int i = 0; i < threads; i++) {
            running.add(
                pool.submit(
                    () -> {
                      start.await();
                      for (int j = 0; j < table.present.size(); j++) {
                        table.readsFor(table.missing.subList(j, j + 1), false, ReadFlags.DEFAULT);
                        table.readsFor(table.present.subList(j, j + 1), true, ReadFlags.DEFAULT);
                      }
                      return null;
                    }));
          }
          for (Future<?> one : running) {
            one.get();
          }
        }
      }
    } finally {
      pool.shutdownNow();
    }
  }
}
