package dev.kv.core.load;

import dev.kv.core.compaction.OutputContext;
import dev.kv.core.table.block.BlockBuilder;
import dev.kv.core.table.format.DataBlock;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Finished data blocks that one thread builds and another writes, in memory that is used again.
 * Belongs to one thread at a time.
 */
final class BlockGroup implements AutoCloseable {
  /** The size from which on a group is full; its last block may be larger. */
  private static final int FULL_BYTES = 64 << 10;

  /** The most memory that a group keeps for the next blocks. */
  private static final int KEPT_BYTES = 512 << 10;

  private final OutputContext context;
  private final List<BlockBuilder> memory = new ArrayList<>();
  private final List<DataBlock> blocks = new ArrayList<>();
  private final BitSet tableBegins = new BitSet();
  private int count;
  private long bytes;

  BlockGroup(OutputContext context) {
    this.context = context;
  }

  /** Begins a block, which the caller fills. */
  DataBlock begin() {
    if (count == blocks.size()) {
      BlockBuilder builder = new BlockBuilder(context.format().restartInterval(), context.budget());
      memory.add(builder);
      builder.reserve();
      blocks.add(new DataBlock(context.format(), context.comparator(), builder));
    }
    return blocks.get(count);
  }

  /** Ends the block that was begun. */
  void end() {
    bytes += blocks.get(count).size();
    count++;
  }

  /** Returns true if the group should be written. */
  boolean isFull() {
    return bytes >= FULL_BYTES;
  }

  /** Makes the next block the first one of a table. */
  void beginTable() {
    tableBegins.set(count);
  }

  /** Returns true if a block must be the first one of a table. */
  boolean beginsTable(int index) {
    return tableBegins.get(index);
  }

  /** Returns the blocks. */
  List<DataBlock> blocks() {
    return blocks.subList(0, count);
  }

  /** Removes all blocks, and frees memory that single large entries needed. */
  void clear() {
    count = 0;
    bytes = 0;
    tableBegins.clear();
    if (memory.stream().mapToLong(BlockBuilder::capacity).sum() > KEPT_BYTES) {
      close();
    }
  }

  /** Frees the memory. */
  @Override
  public void close() {
    memory.forEach(BlockBuilder::close);
    memory.clear();
    blocks.clear();
  }
}
