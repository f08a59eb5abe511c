package dev.kv.core.memtable;

import dev.kv.DBComparator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.ArenaPool;
import dev.kv.core.memory.OffHeapBudget;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/**
 * One thread that inserts and others that search: as if each insertion happened at one moment.
 * Under stress alone: the model checker does not know views of buffers.
 */
@Param(name = "key", gen = IntGen.class, conf = "1:6")
public class SkipListLincheckIT {
  private static final int SCALE = Boolean.getBoolean("kv.long") ? 20 : 1;
  private static final int NONE = -1;

  private final OffHeapSkipList list =
      new OffHeapSkipList(
          new InternalKeyComparator(DBComparator.bytewise()),
          new ArenaPool(new OffHeapBudget(0)).acquire(4096));
  private final boolean[] inserted = new boolean[7];

  private static ByteBuffer bytes(int key, ValueKind kind) {
    byte[] internal = InternalKey.encode(new byte[] {(byte) key}, 1, kind);
    return ByteBuffer.allocateDirect(internal.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(0, internal);
  }

  /** Inserts a key whose value is itself; returns false where it is there. */
  @Operation(nonParallelGroup = "writer")
  public boolean insert(@Param(name = "key") int key) {
    if (inserted[key]) {
      return false;
    }
    inserted[key] = true;
    list.insert(1, ValueKind.VALUE, bytes(key, ValueKind.VALUE), 0, 1, 0, 1);
    return true;
  }

  @Operation
  public int ceiling(@Param(name = "key") int key) {
    ByteBuffer target = bytes(key, ValueKind.VALUE);
    return entry(list.findGreaterOrEqual(target, 0, target.capacity()));
  }

  @Operation
  public int lower(@Param(name = "key") int key) {
    ByteBuffer target = bytes(key, ValueKind.VALUE);
    return entry(list.findLessThan(target, 0, target.capacity()));
  }

  /** Returns the node's key, after a look at its lengths and its value. */
  private int entry(int node) {
    if (node == OffHeapSkipList.NIL) {
      return NONE;
    }
    byte key = list.memory().get(list.keyOffset(node));
    boolean whole =
        list.keyLength(node) == 1 + InternalKey.TRAILER
            && list.valueLength(node) == 1
            && list.memory().get(list.valueOffset(node)) == key;
    return whole ? key : -2;
  }

  @Test
  void search_underStress_seesWholeEntries() {
    new StressOptions()
        .iterations(3 * SCALE)
        .invocationsPerIteration(1000 * SCALE)
        .threads(3)
        .actorsBefore(1)
        .actorsPerThread(4)
        .check(SkipListLincheckIT.class);
  }
}
