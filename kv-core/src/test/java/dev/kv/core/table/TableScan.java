package dev.kv.core.table;

import dev.kv.FilterPolicy;
import dev.kv.bytes.DBComparator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.table.cache.LookupCounts;
import dev.kv.core.table.cache.ReadFlags;
import dev.kv.core.table.cache.TableLookup;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Opens a table that may be anything and reads all of it in every way. */
public final class TableScan {
  private final boolean internal;
  private final ReadFlags flags;
  private final @Nullable FilterPolicy policy;

  /**
   * Creates a scan.
   *
   * @param internal whether the keys are to be internal ones
   * @param verify whether the data blocks' checksums are verified
   * @param filter whether the table's filter is asked
   */
  public TableScan(boolean internal, boolean verify, boolean filter) {
    this.internal = internal;
    flags = ReadFlags.of(verify, true);
    policy = filter ? FilterPolicy.bloom(10) : null;
  }

  /** Reads the table; returns its entries as a walk forward gives them, at most {@code limit}. */
  public int read(byte[] bytes, int limit) {
    KeyComparator order =
        internal
            ? new InternalKeyComparator(DBComparator.bytewise())
            : new UserKeyComparator(DBComparator.bytewise());
    try (TableBench bench = new TableBench(64 << 10)) {
      Table table = bench.open(MemoryFile.reading(bytes), order, policy);
      try {
        return read(table, order, limit);
      } finally {
        table.free();
      }
    }
  }

  private int read(Table table, KeyComparator order, int limit) {
    OffHeapBudget budget = new OffHeapBudget(0);
    int entries = 0;
    try (TableIterator cursor = TableBench.cursor(table, flags);
        TableIterator sought = TableBench.cursor(table, flags);
        LookupKey key = new LookupKey(budget);
        TableLookup lookup =
            new TableLookup(
                order instanceof InternalKeyComparator keys
                    ? keys
                    : new InternalKeyComparator(DBComparator.bytewise()),
                budget,
                key,
                new ValueRef(),
                new LookupCounts())) {
      lookup.setFlags(flags);
      for (cursor.seekToFirst(); cursor.isValid() && entries < limit; cursor.next()) {
        entries++;
        sought.seek(cursor.keyBuffer(), cursor.keyOffset(), cursor.keyLength());
        if (internal) {
          get(table, cursor, lookup);
        }
        checksum(cursor);
      }
      int back = 0;
      for (cursor.seekToLast(); cursor.isValid() && back < limit; cursor.prev()) {
        back++;
        checksum(cursor);
      }
      byte[] target = new byte[12];
      ByteBuffer direct = ByteBuffer.allocateDirect(12).order(java.nio.ByteOrder.LITTLE_ENDIAN);
      direct.put(0, target);
      cursor.seek(direct, 0, target.length);
      return entries;
    }
  }

  private static void get(Table table, TableIterator at, TableLookup lookup) {
    long tag = InternalKey.tag(at.keyBuffer(), at.keyOffset(), at.keyLength());
    int length = at.keyLength() - InternalKey.TRAILER;
    lookup.key().set(at.keyBuffer().slice(at.keyOffset(), length), InternalKey.sequence(tag));
    if (table.get(lookup) == LookupResult.FOUND) {
      lookup.value().copy();
      lookup.value().release();
    }
  }

  /** Touches every byte that the cursor shows. */
  private static int checksum(TableIterator cursor) {
    int sum = 0;
    for (int i = 0; i < cursor.keyLength(); i++) {
      sum += cursor.keyBuffer().get(cursor.keyOffset() + i);
    }
    for (int i = 0; i < cursor.valueLength(); i++) {
      sum += cursor.valueBuffer().get(cursor.valueOffset() + i);
    }
    return sum;
  }
}
