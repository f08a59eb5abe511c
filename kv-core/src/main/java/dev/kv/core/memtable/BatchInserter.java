package dev.kv.core.memtable;

import dev.kv.core.batch.BatchCursor;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.errors.OffHeapExhaustedException;

/**
 * Inserts the operations of a batch into a memtable, many of them in the order of their keys. Then
 * an insertion finds its place near the last one, and neighbours in the order are neighbours in
 * memory, which makes later scans of the memtable faster, too. The order of the insertions changes
 * nothing else, because each operation keeps its sequence number.
 */
public final class BatchInserter {
  /** From this number of operations on, sorting takes less time than it saves. */
  static final int SORTED_FROM = 4096;

  private BatchInserter() {}

  /**
   * Inserts all operations of a batch.
   *
   * @param cursor the batch, before its first operation
   * @param count the number of operations
   * @param sequence the sequence number of the first operation
   * @param target the memtable, which has room for them
   * @param budget counts the memory of the sort; if it has none, the batch is inserted unsorted
   */
  public static void insert(
      BatchCursor cursor, int count, long sequence, MemTable target, OffHeapBudget budget) {
    if (count < SORTED_FROM
        || count > KeyOrder.MAX_COUNT
        || !target.isBytewise()
        || !insertSorted(cursor, count, sequence, target, budget)) {
      for (long next = sequence; cursor.next(); next++) {
        add(cursor, next, target);
      }
    }
  }

  /** Returns false if there is no memory for the sort; nothing was inserted then. */
  private static boolean insertSorted(
      BatchCursor cursor, int count, long sequence, MemTable target, OffHeapBudget budget) {
    KeyOrder order;
    try {
      order = new KeyOrder(cursor, count, budget);
    } catch (OffHeapExhaustedException e) {
      return false;
    }
    try (order) {
      for (int i = 0; i < count; i++) {
        cursor.moveTo(order.position(i));
        cursor.next();
        add(cursor, sequence + order.number(i), target);
      }
    }
    return true;
  }

  private static void add(BatchCursor cursor, long sequence, MemTable target) {
    target.add(
        sequence,
        cursor.kind(),
        cursor.buffer(),
        cursor.keyOffset(),
        cursor.keyLength(),
        cursor.valueOffset(),
        cursor.valueLength());
  }
}
