package dev.kv.core.memtable;

import dev.kv.bytes.DBComparator;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * One thread that inserts and others that search, each in the view of the last number that the
 * writer has published: as if each insertion happened at one moment. Under stress alone: the model
 * checker does not know views of buffers.
 */
@Tag("slow")
@Param(name = "key", gen = IntGen.class, conf = "1:6")
public class SkipListLincheckIT {
  private static final int SCALE = Boolean.getBoolean("kv.long") ? 20 : 1;
  private static final int NONE = -1;

  private final OffHeapSkipList list =
      new OffHeapSkipList(
          new InternalKeyComparator(DBComparator.bytewise()),
          new ArenaPool(new OffHeapBudget(0)).acquire(4096));
  private final boolean[] inserted = new boolean[7];
  private volatile long published;

  private static ByteBuffer bytes(int key, long sequence) {
    byte[] internal = InternalKey.encode(new byte[] {(byte) key}, sequence, ValueKind.VALUE);
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
    long sequence = published + 1;
    list.insert(sequence, ValueKind.VALUE, bytes(key, sequence), 0, 1, 0, 1);
    published = sequence;
    return true;
  }

  /** Returns the first key in the view at or after another. */
  @Operation
  public int ceiling(@Param(name = "key") int key) {
    long view = published;
    int node = seek(key);
    while (node != OffHeapSkipList.NIL && isNewer(node, view)) {
      node = list.next(node);
    }
    return entry(node);
  }

  /** Returns the last key in the view before another. */
  @Operation
  public int lower(@Param(name = "key") int key) {
    long view = published;
    int node = seek(key);
    node = node == OffHeapSkipList.NIL ? list.findLast() : list.previous(node);
    while (node != OffHeapSkipList.NIL && (entry(node) >= key || isNewer(node, view))) {
      node = list.previous(node);
    }
    return entry(node);
  }

  private int seek(int key) {
    ByteBuffer target = bytes(key, InternalKey.MAX_SEQUENCE);
    return list.findGreaterOrEqual(target, 0, target.capacity());
  }

  private boolean isNewer(int node, long view) {
    long tag = InternalKey.tag(list.memory(), list.keyOffset(node), list.keyLength(node));
    return InternalKey.sequence(tag) > view;
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
