package dev.kv.core.table;

import static java.util.Objects.requireNonNull;

import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.memory.Pinned;
import dev.kv.core.table.block.BlockIterator;
import dev.kv.core.table.cache.CachedBlock;
import dev.kv.core.table.cache.PinnedBlock;
import dev.kv.core.table.cache.ReadFlags;
import dev.kv.core.table.format.StoredBlockCursor;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the entries of a table: a block cursor that continues with the next block. It pins
 * its table and one block at a time.
 */
public final class TableIterator extends BlockIterator implements TableCursor, StoredBlockCursor {
  private static final int NONE = -1;

  private final Table table;
  private final TableIndex index;
  private final ReadFlags flags;
  private final Pinned tablePin;
  private final OffHeapBuffer scratch;

  /** The memory of the current block, if blocks are copied from the mapping; null before. */
  private @Nullable OffHeapBuffer copy;

  /** The current block; null if there is none. */
  private @Nullable PinnedBlock current;

  private boolean closed;

  /** The number of the current block. */
  private int at = NONE;

  /** True if {@link #takeCharge} was called for the current block. */
  private boolean chargeTaken;

  /** The number of the last block that the cursor entered or failed to enter. */
  private int tried = NONE;

  /** Returns a cursor, which closes the pin when it is closed. */
  static TableIterator of(Table table, ReadFlags flags, Pinned tablePin) {
    OffHeapBuffer scratch = table.blocks().acquireScratch();
    try {
      return new TableIterator(table, flags, tablePin, scratch);
    } catch (Throwable e) {
      table.blocks().releaseScratch(scratch);
      throw e;
    }
  }

  private TableIterator(Table table, ReadFlags flags, Pinned tablePin, OffHeapBuffer scratch) {
    super(table.comparator(), scratch);
    this.table = table;
    this.index = table.index();
    this.flags = flags;
    this.tablePin = tablePin;
    this.scratch = scratch;
  }

  @Override
  public void seekToFirst() {
    forwardFrom(0);
  }

  @Override
  public void seekToLast() {
    backwardFrom(index.count() - 1);
  }

  @Override
  public void seek(ByteBuffer key, int offset, int length) {
    valid = false;
    int target = index.find(key, offset, length);
    if (target < index.count()) {
      enter(target);
      table.prepareSeek(this, target, flags);
      seekInBlock(key, offset, length);
      if (!valid) {
        forwardFrom(target + 1);
      }
    }
  }

  @Override
  public void next() {
    nextInBlock();
    if (!valid) {
      forwardFrom(at + 1);
    }
  }

  @Override
  public void prev() {
    prevInBlock();
    if (!valid) {
      backwardFrom(at - 1);
    }
  }

  @Override
  public ForwardIterator entries() {
    return this;
  }

  @Override
  public void seekAfterDamage() {
    forwardFrom(tried + 1);
  }

  @Override
  public int triedBytes() {
    return tried == NONE ? 0 : index.size(tried);
  }

  /** Moves to the first entry of a block, or of the next blocks if that has none. */
  private void forwardFrom(int block) {
    valid = false;
    for (int i = block; !valid && i < index.count(); i++) {
      enter(i);
      firstInBlock();
    }
  }

  /** Moves to the last entry of a block, or of the previous blocks if that has none. */
  private void backwardFrom(int block) {
    valid = false;
    for (int i = block; !valid && i >= 0; i--) {
      enter(i);
      lastInBlock();
    }
  }

  /** Makes data block {@code target} the current one. */
  private void enter(int target) {
    if (target == at) {
      return;
    }
    if (closed) {
      throw new IllegalStateException("the cursor is closed");
    }
    at = NONE;
    tried = target;
    if (copy == null && table.copiesBlocks(flags)) {
      copy = table.blocks().acquireScratch();
    }
    PinnedBlock entered = table.acquireBlock(target, flags, copy);
    try {
      table.setOn(this, entered, target);
    } catch (Throwable e) { // without an Undo, because a step allocates nothing
      clear();
      entered.close();
      throw e;
    }
    PinnedBlock left = current;
    current = entered;
    chargeTaken = false;
    at = target;
    if (left != null) {
      left.close();
    }
  }

  /** Returns true if all keys of the current block are less than {@code key}. */
  public boolean isBlockBefore(ByteBuffer key, int offset, int length) {
    return at < index.find(key, offset, length);
  }

  /** Returns true if the current block is in the cache. */
  boolean isCached() {
    return current instanceof CachedBlock;
  }

  /** Returns what the current block takes of the cache; 0 if this was asked before. */
  long takeCharge() {
    long charge = !chargeTaken && current instanceof CachedBlock cached ? cached.charge() : 0;
    chargeTaken = true;
    return charge;
  }

  /** Returns the current block, of which there is one. */
  PinnedBlock block() {
    return requireNonNull(current);
  }

  @Override
  public int copyStoredBlock(OffHeapBuffer target) {
    return isOnlyEntry() ? table.copyStoredBlock(at, target) : 0;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      at = NONE;
      clear();
      if (current != null) {
        current.close();
        current = null;
      }
      table.blocks().releaseScratch(scratch);
      if (copy != null) {
        table.blocks().releaseScratch(copy);
        copy = null;
      }
      tablePin.close();
    }
  }
}
