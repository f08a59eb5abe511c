package dev.kv.core.table;

import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.table.cache.PinnedBlock;
import dev.kv.core.table.format.BlockObserver;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the block cache warm during a compaction: a block of the output that has entries of cached
 * blocks of the input enters the cache as it is written. In total, the new blocks take no more of
 * the cache than those old ones, which leave it when their tables are deleted. Nobody can ask for a
 * new block before its table is installed; if the table never is, its blocks leave the cache
 * together with it. Not thread-safe.
 */
public final class WarmSuccession implements BlockObserver {
  private final TableCache tables;

  /** The id of the blocks of the table that is being written. */
  private long id;

  /** The charge of the cached blocks that were read, less that of the blocks that were added. */
  private long credit;

  /** True if the open block has an entry of a cached block. */
  private boolean warm;

  /** The cursor of the last entry, if it is that of a table. */
  private @Nullable TableIterator source;

  WarmSuccession(TableCache tables) {
    this.tables = tables;
  }

  /** Begins a table. */
  public void begin(long fileNumber) {
    id = tables.blockId(fileNumber);
    warm = false;
  }

  @Override
  public void entry(ForwardIterator entry) {
    source = entry.source() instanceof TableIterator table ? table : null;
    if (source != null && source.isCached()) {
      warm = true;
      credit += source.takeCharge();
    }
  }

  @Override
  public void written(long offset, ByteBuffer block, int length) {
    if (warm) {
      warm = false;
      credit -= tables.blocks().add(id, offset, block, length, credit);
    }
  }

  @Override
  public void copied(long offset) {
    if (source != null) {
      PinnedBlock block = source.block();
      written(offset, block.bytes(), block.length());
    }
  }
}
