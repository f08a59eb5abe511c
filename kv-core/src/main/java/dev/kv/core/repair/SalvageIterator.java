package dev.kv.core.repair;

import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.table.TableCursor;
import dev.kv.errors.CorruptionException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Iterates forward over the readable entries of a table; skips damaged blocks and misplaced keys. A
 * read error is thrown.
 */
final class SalvageIterator extends ForwardIterator {
  private final ForwardIterator table;
  private final TableCursor cursor;
  private final InternalKeyComparator order;
  private final Consumer<String> damage;
  private byte[] last = {};
  private int damages;
  private long bytesLost;

  /**
   * Creates the iterator; it takes ownership of the table's cursor.
   *
   * @param order the order that the keys must be in
   * @param damage receives a description of what is skipped
   */
  SalvageIterator(TableCursor cursor, InternalKeyComparator order, Consumer<String> damage) {
    this.table = cursor.entries();
    this.cursor = cursor;
    this.order = order;
    this.damage = damage;
  }

  /** Counts damage that was found before the iteration. */
  void addLost(long bytes, String what) {
    bytesLost += bytes;
    skipped(what);
  }

  /** Returns how many blocks or keys were skipped. */
  int damages() {
    return damages;
  }

  /** Returns the bytes skipped: the stored size of blocks plus the size of single entries. */
  long bytesLost() {
    return bytesLost;
  }

  @Override
  public void seekToFirst() {
    last = new byte[0];
    move(table::seekToFirst);
  }

  @Override
  public void next() {
    last = copyKey();
    move(table::next);
  }

  private void move(Runnable step) {
    Runnable attempt = step;
    while (true) {
      try {
        attempt.run();
        if (!table.isValid() || isInPlace()) {
          show(table);
          return;
        }
        bytesLost += table.keyLength() + table.valueLength();
        skipped("an entry whose key is malformed or out of order");
        attempt = table::next;
      } catch (CorruptionException e) {
        bytesLost += cursor.triedBytes();
        skipped(String.valueOf(e.getMessage()));
        attempt = cursor::seekAfterDamage;
      }
    }
  }

  private void skipped(String what) {
    damages++;
    damage.accept(what);
  }

  private boolean isInPlace() {
    ByteBuffer key = table.keyBuffer();
    return InternalKey.isWellFormed(key, table.keyOffset(), table.keyLength())
        && (last.length == 0 || order.compare(key, table.keyOffset(), table.keyLength(), last) > 0);
  }

  @Override
  public void close() {
    table.close();
  }
}
