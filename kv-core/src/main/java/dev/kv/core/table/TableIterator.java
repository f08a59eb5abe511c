package dev.kv.core.table;

import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.memory.Pinned;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the entries of a table: a block cursor that goes on to the next block. It pins its
 * table and one block at a time.
 *
 * <p>Steps inside a block touch no shared state. Where the block changes, the new pin is put in
 * place by compare-and-set, and a {@link #close()} from another thread puts {@link #CLOSED} there
 * instead: each pin is given back once, by whoever took it out. The scratch buffer is recycled only
 * by the thread that the cursor was made on, for a move that runs during a close from outside may
 * still write to it.
 */
public final class TableIterator extends TableCursor {
  private static final VarHandle PIN = pinHandle();
  private static final Pinned CLOSED = () -> {};
  private static final int NONE = -1;

  private final TableReader table;
  private final TableIndex index;
  private final ReadFlags flags;
  private final Pinned tablePin;
  private final OffHeapBuffer scratch;
  private final Thread maker = Thread.currentThread();

  /** What keeps the present block; {@link #CLOSED} after the close. */
  private volatile @Nullable Pinned pin;

  /** The number of the present block. */
  private int at = NONE;

  /** The number of the block that was entered last, or could not be. */
  private int tried = NONE;

  TableIterator(TableReader table, ReadFlags flags, Pinned tablePin) {
    this(table, flags, tablePin, table.blocks().takeScratch());
  }

  private TableIterator(
      TableReader table, ReadFlags flags, Pinned tablePin, OffHeapBuffer scratch) {
    super(table.comparator(), scratch);
    this.table = table;
    this.index = table.index();
    this.flags = flags;
    this.tablePin = tablePin;
    this.scratch = scratch;
  }

  @Override
  public void seekToFirst() {
    valid = false;
    if (index.count() > 0) {
      enter(0);
      firstInBlock();
      forward();
    }
  }

  @Override
  public void seekToLast() {
    valid = false;
    if (index.count() > 0) {
      enter(index.count() - 1);
      lastInBlock();
      backward();
    }
  }

  @Override
  public void seek(ByteBuffer key, int offset, int length) {
    valid = false;
    int target = index.find(key, offset, length);
    if (target < index.count()) {
      enter(target);
      seekInBlock(key, offset, length);
      forward();
    }
  }

  @Override
  public void next() {
    nextInBlock();
    if (!valid) {
      forward();
    }
  }

  @Override
  public void prev() {
    prevInBlock();
    if (!valid) {
      backward();
    }
  }

  @Override
  public void seekBehindDamage() {
    valid = false;
    if (tried + 1 < index.count()) {
      enter(tried + 1);
      firstInBlock();
      forward();
    }
  }

  @Override
  public int triedBytes() {
    return tried == NONE ? 0 : index.size(tried);
  }

  private void forward() {
    while (!valid && at + 1 < index.count()) {
      enter(at + 1);
      firstInBlock();
    }
  }

  private void backward() {
    while (!valid && at > 0) {
      enter(at - 1);
      lastInBlock();
    }
  }

  /** Makes data block {@code target} the present one. */
  private void enter(int target) {
    if (target == at) {
      return;
    }
    at = NONE;
    tried = target;
    if (pin == CLOSED) {
      throw closed();
    }
    Pinned entered = table.acquireBlock(target, flags);
    boolean adopted = false;
    try {
      // Before the pin can be given back by another thread: this may write behind the block.
      table.setOn(this, entered, target, flags);
      Pinned left = pin;
      if (left == CLOSED || !PIN.compareAndSet(this, left, entered)) {
        throw closed();
      }
      adopted = true;
      if (left != null) {
        left.close();
      }
    } finally {
      if (!adopted) {
        clear();
        entered.close();
      }
    }
    at = target;
  }

  @Override
  public int copyStoredBlock(OffHeapBuffer target) {
    return isOnlyEntry() ? table.copyStoredBlock(at, target) : 0;
  }

  private static IllegalStateException closed() {
    return new IllegalStateException("the cursor is closed");
  }

  @Override
  public void close() {
    Pinned left = (Pinned) PIN.getAndSet(this, CLOSED);
    if (left == CLOSED) {
      return;
    }
    if (left != null) {
      left.close();
    }
    if (Thread.currentThread() == maker) {
      clear();
      table.blocks().giveBack(scratch);
    } else {
      scratch.close(); // its memory stays until the collector finds that no move uses it
    }
    tablePin.close();
  }

  private static VarHandle pinHandle() {
    try {
      return MethodHandles.lookup().findVarHandle(TableIterator.class, "pin", Pinned.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
