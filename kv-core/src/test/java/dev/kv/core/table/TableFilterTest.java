package dev.kv.core.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.FilterPolicy;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.table.block.Entries;
import dev.kv.core.table.cache.LookupCounts;
import dev.kv.core.table.cache.ReadFlags;
import dev.kv.core.table.cache.TableLookup;
import dev.kv.core.table.filter.BloomFilter;
import dev.kv.core.table.format.TableFormat;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableFilterTest {
  private static final InternalKeyComparator BYTEWISE =
      new InternalKeyComparator(DBComparator.bytewise());
  private static final FilterPolicy BLOOM = new BloomFilter(10);

  /** The base that LevelDB writes: a filter for every 2 KiB. */
  private static final int LEVELDB_BASE = 11;

  /** A policy of the program's own: the set of the keys' first bytes. */
  private static final FilterPolicy FIRST_BYTES =
      new FilterPolicy() {
        @Override
        public String name() {
          return "test.FirstBytes";
        }

        @Override
        public byte[] createFilter(List<Slice> keys) {
          byte[] filter = new byte[256];
          for (Slice key : keys) {
            filter[key.isEmpty() ? 0 : key.byteAt(0) & 0xff] = 1;
          }
          return filter;
        }

        @Override
        public boolean keyMayMatch(Slice key, Slice filter) {
          return filter.byteAt(key.isEmpty() ? 0 : key.byteAt(0) & 0xff) != 0;
        }
      };

  private static final class Reads implements AutoCloseable {
    final TableBench bench = new TableBench(0);
    final MemoryFile.Reading file;
    final Table table;
    final LookupKey key = new LookupKey(bench.budget);
    final ValueRef out = new ValueRef();
    final TableLookup lookup =
        new TableLookup(BYTEWISE, bench.budget, key, out, new LookupCounts());

    Reads(byte[] bytes, FilterPolicy policy) {
      file = MemoryFile.reading(bytes);
      table = bench.open(file, BYTEWISE, policy);
    }

    /** Looks keys up and returns how many reads of the file that took. */
    int readsFor(Iterable<byte[]> users, boolean present) {
      return readsFor(users, present, ReadFlags.DEFAULT);
    }

    int readsFor(Iterable<byte[]> users, boolean present, ReadFlags flags) {
      int before = file.reads;
      lookup.setFlags(flags);
      for (byte[] user : users) {
        key.set(user, InternalKey.MAX_SEQUENCE);
        int result = table.get(lookup);
        assertThat(result != LookupResult.NOT_FOUND).isEqualTo(present);
        out.release();
      }
      return file.reads - before;
    }

    @Override
    public void close() {
      table.free();
      lookup.close();
      key.close();
      bench.close();
    }
  }

  private static List<byte[]> present(Entries entries) {
    return entries.list().stream().map(e -> InternalKey.userKey(e.key())).toList();
  }

  private static List<byte[]> missing(Entries entries) {
    return present(entries).stream().map(k -> (new String(k) + "/missing").getBytes()).toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {LEVELDB_BASE, TableFormat.WHOLE_TABLE})
  void get_missingKeys_readsHardlyABlock(int baseLg) {
    Entries entries = Entries.internal(BYTEWISE, new Random(1), 500);
    TableFormat format = TableBench.format(1024, 16, CompressionType.SNAPPY, BLOOM, baseLg);
    byte[] bytes = TableBench.build(format, BYTEWISE, entries);
    try (Reads reads = new Reads(bytes, BLOOM)) {
      assertThat(reads.readsFor(present(entries), true)).isEqualTo(500);
      assertThat(reads.readsFor(missing(entries), false)).isLessThan(30);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {LEVELDB_BASE, TableFormat.WHOLE_TABLE})
  void get_filterOfAnotherPolicy_isIgnored(int baseLg) {
    Entries entries = Entries.internal(BYTEWISE, new Random(2), 300);
    TableFormat format = TableBench.format(1024, 16, CompressionType.NONE, BLOOM, baseLg);
    byte[] bytes = TableBench.build(format, BYTEWISE, entries);
    try (Reads reads = new Reads(bytes, FIRST_BYTES)) {
      assertThat(reads.readsFor(present(entries), true)).isEqualTo(300);
      ReadFlags learningNothing = ReadFlags.of(false, true);
      assertThat(reads.readsFor(missing(entries), false, learningNothing)).isGreaterThan(200);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {LEVELDB_BASE, TableFormat.WHOLE_TABLE})
  void get_ownPolicy_isAsked(int baseLg) {
    Entries entries = Entries.internal(BYTEWISE, new Random(3), 300);
    TableFormat format = TableBench.format(1024, 16, CompressionType.NONE, FIRST_BYTES, baseLg);
    byte[] bytes = TableBench.build(format, BYTEWISE, entries);
    boolean[] first = new boolean[256];
    present(entries).forEach(k -> first[k.length == 0 ? 0 : k[0] & 0xff] = true);
    try (Reads reads = new Reads(bytes, FIRST_BYTES)) {
      assertThat(reads.readsFor(present(entries), true)).isEqualTo(300);
      for (int b = 0; b < 256; b++) {
        if (!first[b]) {
          assertThat(reads.readsFor(List.of(new byte[] {(byte) b, 1}), false)).isZero();
        }
      }
    }
  }

  @Test
  void build_entriesOfACppTableWithAFilterPerBase_givesTheSameBytes() throws IOException {
    Path path = Path.of("src/test/resources/fixtures/leveldb/bloom/000011.ldb");
    byte[] bytes = Files.readAllBytes(path);
    TableFormat format = TableBench.format(4096, 16, CompressionType.SNAPPY, BLOOM, LEVELDB_BASE);
    assertThat(FixtureTableTest.rebuilt(bytes, format, BYTEWISE)).isEqualTo(bytes);
  }
}
