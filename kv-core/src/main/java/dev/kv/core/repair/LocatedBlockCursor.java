package dev.kv.core.repair;

import dev.kv.core.inspect.TableContents;
import dev.kv.core.inspect.TableContents.Handle;
import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.table.TableCursor;
import dev.kv.core.table.block.BlockIterator;
import dev.kv.env.Env;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * A forward cursor over the entries of given blocks of a table file. Used and closed by one thread.
 */
final class LocatedBlockCursor extends ForwardIterator implements TableCursor {
  private final TableContents table;
  private final String file;
  private final OffHeapBuffer scratch;
  private final BlockIterator block;
  private final List<Handle> blocks;

  /** The number of the last block that the cursor entered or failed to enter. */
  private int at = -1;

  /** Creates a cursor over {@code blocks} of the table in {@code path}, before the first entry. */
  LocatedBlockCursor(Env env, Path path, InternalKeyComparator comparator, List<Handle> blocks) {
    this.table = BlockLocator.inspect(env, path);
    this.file = path.toString();
    this.scratch = new OffHeapBuffer(new OffHeapBudget(0), BlockIterator.SCRATCH_BYTES);
    this.block = new BlockIterator(comparator, scratch);
    this.blocks = blocks;
  }

  @Override
  public void seekToFirst() {
    at = -1;
    forward();
  }

  @Override
  public void next() {
    valid = false;
    block.next();
    if (!show(block)) {
      forward();
    }
  }

  @Override
  public ForwardIterator entries() {
    return this;
  }

  @Override
  public void seekAfterDamage() {
    forward();
  }

  private void forward() {
    valid = false;
    while (!valid && at + 1 < blocks.size()) {
      at++;
      Handle handle = blocks.get(at);
      ByteBuffer bytes = table.read(handle);
      block.reset(bytes, bytes.limit(), file, handle.offset());
      block.seekToFirst();
      show(block);
    }
  }

  @Override
  public int triedBytes() {
    return at < 0 ? 0 : (int) blocks.get(at).size();
  }

  @Override
  public ForwardIterator source() {
    return block;
  }

  @Override
  public void close() {
    valid = false;
    scratch.close();
    table.close();
  }
}
