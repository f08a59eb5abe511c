package dev.kv.core.iterator;

import dev.kv.core.memory.OffHeapBuffer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the entries of several in a row, of which one is open at a time: the tables of a
 * level.
 *
 * <p>The open one is handed over between the owning thread and a {@link #close()} from another by
 * compare-and-set; a cursor opened after the close is closed at once.
 */
public final class ConcatenatingIterator extends InternalIterator {
  private static final VarHandle OPEN = openHandle();
  private static final InternalIterator CLOSED = new EmptyIterator();
  private static final int NONE = -1;

  private final IteratorSource source;

  /** What {@link #close()} has to close; {@link #CLOSED} from then on. */
  @SuppressWarnings("UnusedVariable") // through OPEN
  private volatile @Nullable InternalIterator open;

  private InternalIterator current = CLOSED;
  private int index = NONE;

  /** Creates a cursor over everything in {@code source}. */
  public ConcatenatingIterator(IteratorSource source) {
    this.source = source;
  }

  @Override
  public void seekToFirst() {
    valid = false;
    if (source.count() > 0) {
      open(0);
      current.seekToFirst();
      forward();
    }
  }

  @Override
  public void seekToLast() {
    valid = false;
    if (source.count() > 0) {
      open(source.count() - 1);
      current.seekToLast();
      backward();
    }
  }

  @Override
  public void seek(ByteBuffer key, int offset, int length) {
    valid = false;
    int target = source.find(key, offset, length);
    if (target < source.count()) {
      open(target);
      current.seek(key, offset, length);
      forward();
    }
  }

  @Override
  public void next() {
    valid = false;
    current.next();
    if (!show(current)) {
      forward();
    }
  }

  @Override
  public void prev() {
    valid = false;
    current.prev();
    if (!show(current)) {
      backward();
    }
  }

  /** Goes on to the cursors that follow until one has an entry, and shows it. */
  private void forward() {
    while (!current.isValid() && index + 1 < source.count()) {
      open(index + 1);
      current.seekToFirst();
    }
    show(current);
  }

  /** Goes back to the cursors before until one has an entry, and shows it. */
  private void backward() {
    while (!current.isValid() && index > 0) {
      open(index - 1);
      current.seekToLast();
    }
    show(current);
  }

  private void open(int target) {
    if (target == index) {
      return;
    }
    index = NONE;
    InternalIterator opened = source.open(target);
    InternalIterator old = this.open;
    if (old == CLOSED || !OPEN.compareAndSet(this, old, opened)) {
      opened.close();
      throw new IllegalStateException("the cursor is closed");
    }
    current = opened;
    index = target;
    if (old != null) {
      old.close();
    }
  }

  @Override
  public int copyStoredBlock(OffHeapBuffer target) {
    return current.copyStoredBlock(target);
  }

  @Override
  public void close() {
    InternalIterator old = (InternalIterator) OPEN.getAndSet(this, CLOSED);
    if (old != null) {
      old.close();
    }
  }

  private static VarHandle openHandle() {
    try {
      return MethodHandles.lookup()
          .findVarHandle(ConcatenatingIterator.class, "open", InternalIterator.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
