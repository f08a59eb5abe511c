package dev.kv.core.table;

import dev.kv.core.block.BlockIterator;
import dev.kv.core.table.cache.PinnedBlock;
import dev.kv.core.table.cache.ReadFlags;
import org.jspecify.annotations.Nullable;

/**
 * The data block that the last lookup in a table has searched, kept pinned for the next lookup. Not
 * thread-safe.
 */
final class HeldBlock implements AutoCloseable {
  private static final int NONE = -1;

  private final PointReadContext context;
  private @Nullable PinnedBlock block;
  private int at = NONE;

  /** Creates an object without a block; takes ownership of {@code context}. */
  HeldBlock(PointReadContext context) {
    this.context = context;
  }

  PointReadContext context() {
    return context;
  }

  /** Returns a cursor over data block {@code wanted} of {@code table}. */
  BlockIterator cursor(Table table, int wanted, ReadFlags flags) {
    if (at != wanted) {
      release();
      PinnedBlock acquired = table.acquireBlock(wanted, flags);
      block = acquired;
      table.setOn(context.block(), acquired, wanted, flags);
      at = wanted;
    }
    return context.block();
  }

  /** Releases the block. */
  void release() {
    PinnedBlock held = block;
    at = NONE;
    if (held != null) {
      block = null;
      held.close();
    }
  }

  @Override
  public void close() {
    release();
    context.close();
  }
}
