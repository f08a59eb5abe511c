package dev.kv.core.repair;

import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.iterator.MergingIterator;
import dev.kv.core.key.KeyComparator;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A table of a merge that is open only while the merge is between its first and its last key. So
 * many tables that do not overlap need few open files. Before its first entry the cursor is at a
 * marker, the key of that entry without its value, which {@link #merge} passes over.
 */
final class DeferredTable extends ForwardIterator {
  private final Opening opening;
  private final Consumer<String> damage;

  /** The key of the first entry; empty if none can be read. */
  private final ByteBuffer first;

  /** The table since it was opened for the merge. */
  private @Nullable SalvageIterator entries;

  /** Opens a table. */
  interface Opening {
    /** Returns a cursor over the table; {@code damage} receives a description of what it skips. */
    SalvageIterator open(Consumer<String> damage);
  }

  /** Creates the cursor: opens the table, reads its first key, and closes it. */
  DeferredTable(Opening opening, Consumer<String> damage) {
    this.opening = opening;
    this.damage = damage;
    byte[] key = {};
    try (SalvageIterator table = opening.open(skipped -> {})) {
      table.seekToFirst();
      key = table.isValid() ? table.copyKey() : key;
    }
    first = ByteBuffer.allocateDirect(key.length).order(ByteOrder.LITTLE_ENDIAN).put(0, key);
  }

  /** Returns a cursor over the entries of all {@code tables}, which it closes. */
  static ForwardIterator merge(KeyComparator order, List<DeferredTable> tables) {
    return new Merge(MergingIterator.ofForward(order, tables.toArray(ForwardIterator[]::new)));
  }

  /** Returns how many blocks or keys were skipped. */
  int damages() {
    return entries == null ? 0 : entries.damages();
  }

  /** Returns the bytes skipped, as {@link SalvageIterator#bytesLost}. */
  long bytesLost() {
    return entries == null ? 0 : entries.bytesLost();
  }

  @Override
  public void seekToFirst() {
    keyBuffer = first;
    keyOffset = 0;
    keyLength = first.capacity();
    valid = keyLength > 0;
    if (!valid) {
      next(); // counts what is skipped
    }
  }

  @Override
  public void next() {
    valid = false;
    SalvageIterator table = entries;
    if (table == null) {
      table = opening.open(damage);
      entries = table;
      table.seekToFirst();
    } else {
      table.next();
    }
    if (!show(table)) {
      table.close();
    }
  }

  @Override
  public ForwardIterator source() {
    return entries == null ? this : entries;
  }

  @Override
  public void close() {
    valid = false;
    if (entries != null) {
      entries.close();
    }
  }

  /** The merged entries without the markers. */
  private static final class Merge extends ForwardIterator {
    private final ForwardIterator merged;

    Merge(ForwardIterator merged) {
      this.merged = merged;
    }

    @Override
    public void seekToFirst() {
      valid = false;
      merged.seekToFirst();
      passMarkers();
    }

    @Override
    public void next() {
      valid = false;
      merged.next();
      passMarkers();
    }

    private void passMarkers() {
      while (merged.isValid() && merged.source() instanceof DeferredTable) {
        merged.next();
      }
      show(merged);
    }

    @Override
    public ForwardIterator source() {
      return merged.source();
    }

    @Override
    public void close() {
      merged.close();
    }
  }
}
