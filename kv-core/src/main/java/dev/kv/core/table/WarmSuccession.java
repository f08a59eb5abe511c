package dev.kv.core.table;

import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.iterator.LookupMarks;
import dev.kv.core.table.format.BlockObserver;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the block cache warm during a compaction or a flush: a block of the output enters the cache
 * as it is written, if it has an entry of a cached block of the input, or one that a lookup has
 * found in the memtable. In total, the new blocks of a compaction take no more of the cache than
 * those old ones, which leave it when their tables are deleted; those of a flush have a limit.
 * Nobody can ask for a new block before its table is installed; if the table never is, its blocks
 * leave the cache together with it. Not thread-safe.
 */
public final class WarmSuccession implements BlockObserver {
  private final TableCache tables;

  /** The id of the blocks of the table that is being written. */
  private long id;

  /** What the blocks that are added next may take of the cache. */
  private long credit;

  /** True if the open block has an entry that readers have used. */
  private boolean warm;

  /** The cursor of the last entry, if it is that of a table. */
  private @Nullable TableIterator source;

  /**
   * Creates an observer.
   *
   * @param credit what the blocks may take of the cache, in addition to the charge of the cached
   *     blocks that are read
   */
  WarmSuccession(TableCache tables, long credit) {
    this.tables = tables;
    this.credit = credit;
  }

  /** Begins a table. */
  public void begin(long fileNumber) {
    id = tables.blockId(fileNumber);
    warm = false;
  }

  @Override
  public void entry(ForwardIterator entry) {
    ForwardIterator from = entry.source();
    source = from instanceof TableIterator table ? table : null;
    if (source != null && source.isCached()) {
      warm = true;
      credit += source.takeCharge();
    } else if (from instanceof LookupMarks marks && marks.wasFound()) {
      warm = true;
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
      written(offset, source.blockBytes(), source.blockLength());
    }
  }
}
