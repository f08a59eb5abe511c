package dev.kv.core.memtable;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.kv.bytes.DBComparator;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.ArenaPool;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.ValueRef;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.IJ_Result;

/**
 * A memtable with the keys 1 and 3, to which a thread adds the key 2, while another reads.
 *
 * <p>The count of entries is read first. It is published in the way of the last sequence number: by
 * a release store after the insertion.
 */
public final class MemTableStress {
  private static final int SMALL = 256;
  private static final int LARGE = 4096;
  private static final long VALUE = 0x0102030405060708L;
  private static final OffHeapBudget BUDGET = new OffHeapBudget(0);
  private static final ArenaPool ARENAS = new ArenaPool(BUDGET);
  private static final InternalKeyComparator ORDER =
      new InternalKeyComparator(DBComparator.bytewise());

  /** The keys 1, 2, 3, which are single bytes, and the value. */
  private static final ByteBuffer SOURCE =
      ByteBuffer.allocateDirect(16)
          .order(ByteOrder.LITTLE_ENDIAN)
          .put(1, (byte) 1)
          .put(2, (byte) 2)
          .put(3, (byte) 3)
          .putLong(8, VALUE);

  private static final LookupKey TWO = lookup(2);
  private static final LookupKey THREE = lookup(3);

  private MemTableStress() {}

  private static LookupKey lookup(int key) {
    LookupKey lookup = new LookupKey(BUDGET);
    lookup.set(new byte[] {(byte) key}, InternalKey.MAX_SEQUENCE);
    return lookup;
  }

  private static MemTable table(int limit) {
    MemTable table = new MemTable(ORDER, ARENAS.acquire(SMALL, limit, false), ARENAS);
    add(table, 1, 1);
    add(table, 2, 3);
    return table;
  }

  private static void add(MemTable table, long sequence, int key) {
    table.add(sequence, ValueKind.VALUE, SOURCE, key, 1, Long.BYTES, Long.BYTES);
  }

  /** Returns the value of the key 2, or -1 if it is not there. */
  private static long get(MemTable table) {
    ValueRef value = new ValueRef();
    return table.get(TWO, value) == LookupResult.FOUND ? value.buffer.getLong(value.offset) : -1;
  }

  /** A node is found whole, and an entry that was counted is found. */
  @JCStressTest
  @Outcome(id = "2, -1", expect = ACCEPTABLE, desc = "before the insertion")
  @Outcome(id = "[23], 72623859790382856", expect = ACCEPTABLE, desc = "the whole entry")
  @Outcome(expect = FORBIDDEN, desc = "a part of the entry, or a counted one that is not found")
  @State
  public static class Publication {
    private final MemTable table = table(SMALL);

    /** Adds the entry. */
    @Actor
    public void writer() {
      add(table, 3, 2);
    }

    /** Looks it up. */
    @Actor
    public void reader(IJ_Result result) {
      result.r1 = table.entryCount();
      result.r2 = get(table);
    }
  }

  /** The same, while the arena moves to a larger buffer. */
  @JCStressTest
  @Outcome(id = "2, -1", expect = ACCEPTABLE, desc = "before the insertion")
  @Outcome(id = "[23], 72623859790382856", expect = ACCEPTABLE, desc = "the whole entry")
  @Outcome(expect = FORBIDDEN, desc = "a part of the entry, or a counted one that is not found")
  @State
  public static class Growth {
    private final MemTable table = table(LARGE);

    /** Moves the arena and adds the entry. */
    @Actor
    public void writer() {
      table.ensureRoomFor(SMALL, 1);
      add(table, 3, 2);
    }

    /** Looks it up. */
    @Actor
    public void reader(IJ_Result result) {
      result.r1 = table.entryCount();
      result.r2 = get(table);
    }
  }

  /** A step back passes over no entry that was counted. */
  @JCStressTest
  @Outcome(id = "2, 1", expect = ACCEPTABLE, desc = "before the insertion, or passed over")
  @Outcome(id = "[23], 2", expect = ACCEPTABLE, desc = "to the new entry")
  @Outcome(expect = FORBIDDEN, desc = "over an entry that was counted")
  @State
  public static class StepBack {
    private final MemTable table = table(SMALL);

    /** Adds the entry. */
    @Actor
    public void writer() {
      add(table, 3, 2);
    }

    /** Steps back from the key 3. */
    @Actor
    public void reader(II_Result result) {
      result.r1 = table.entryCount();
      InternalIterator cursor = table.iterator();
      cursor.seek(THREE.buffer(), 0, THREE.internalKeyLength());
      cursor.prev();
      result.r2 = cursor.keyBuffer().get(cursor.keyOffset());
    }
  }
}
