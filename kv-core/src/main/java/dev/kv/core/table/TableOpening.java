package dev.kv.core.table;

import dev.kv.CorruptionException;
import dev.kv.DBComparator;
import dev.kv.Escape;
import dev.kv.FilterPolicy;
import dev.kv.core.block.BlockIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.OwnedBlock;
import dev.kv.core.table.cache.TableFile;
import dev.kv.core.table.format.BlockHandle;
import dev.kv.core.table.format.Footer;
import dev.kv.core.table.format.TableBuilder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Opens a table: reads and verifies the footer, the index and the filter. It owns them and the file
 * until {@link #transferOwnership}; if it is closed before that, it frees them.
 */
final class TableOpening implements AutoCloseable {
  private final TableFile file;
  private final KeyComparator comparator;
  private final BlockProvider blocks;
  private final OffHeapBuffer scratch;
  private @Nullable Footer footer;
  private @Nullable TableIndex index;
  private @Nullable OwnedBlock filterBlock;
  private boolean handedOver;

  /** Begins to open {@code file}, and takes ownership of it. */
  TableOpening(TableFile file, KeyComparator comparator, BlockProvider blocks) {
    this.file = file;
    this.comparator = comparator;
    this.blocks = blocks;
    scratch = blocks.acquireScratch();
  }

  /** Reads the footer and the index, and the filter if a policy is given. */
  void read(@Nullable FilterPolicy policy) {
    Footer end = readFooter();
    footer = end;
    index = readIndex(end.index());
    if (policy != null) {
      BlockHandle filter = findFilter(end.metaindex(), policy);
      filterBlock = filter == null ? null : blocks.resident(file, filter, end.metaindex().offset());
    }
  }

  /**
   * Checks that the index fits the table's first and last key. An index key is at or after the last
   * key of its block, and before the first key of the next block.
   *
   * @throws CorruptionException if it does not
   */
  void requireKeys(InternalKeyComparator order, byte[] smallest, byte[] largest) {
    TableIndex keys = read(index);
    int last = keys.count() - 1;
    if (last < 0) {
      throw foreign("it has no data blocks");
    }
    if (order.compare(wellFormed(keys.key(0)), smallest) < 0) {
      throw foreign("its first block ends at or before ", keys.key(0), "first", smallest);
    }
    if (order.compare(wellFormed(keys.key(last)), largest) < 0) {
      throw foreign("its last block ends at or before ", keys.key(last), "last", largest);
    }
    if (last > 0 && order.compare(wellFormed(keys.key(last - 1)), largest) >= 0) {
      throw foreign("its last block begins after ", keys.key(last - 1), "last", largest);
    }
  }

  private byte[] wellFormed(byte[] indexKey) {
    if (!InternalKey.isWellFormed(indexKey)) {
      throw new CorruptionException(
          "a key in the index has no sequence number and type: " + Escape.bytes(indexKey),
          file.name(),
          read(footer).index().offset());
    }
    return indexKey;
  }

  private CorruptionException foreign(String what, byte[] indexKey, String which, byte[] key) {
    return foreign(
        what
            + InternalKey.describe(indexKey)
            + ", but its "
            + which
            + " key in the MANIFEST is "
            + InternalKey.describe(key));
  }

  private CorruptionException foreign(String difference) {
    return new CorruptionException(
        "the table does not match the MANIFEST: "
            + difference
            + "; probably this is the file of another table. Restore the file from a backup, or"
            + " rebuild the database with DB.repair",
        file.name(),
        read(footer).index().offset());
  }

  TableIndex index() {
    return read(index);
  }

  /** Returns the offset at which the data blocks and the filter end. */
  long dataEnd() {
    return read(footer).metaindex().offset();
  }

  /** Returns the policy's filter block, or null if the table has none. */
  @Nullable OwnedBlock filterBlock() {
    return filterBlock;
  }

  /** Passes the ownership of all parts to the reader. */
  void transferOwnership() {
    handedOver = true;
  }

  private static <T> T read(@Nullable T part) {
    if (part == null) {
      throw new AssertionError("the table has not been read");
    }
    return part;
  }

  private Footer readFooter() {
    if (file.size() < Footer.SIZE) {
      throw new CorruptionException(
          "a file of " + file.size() + " bytes is too short for a table", file.name(), 0);
    }
    ByteBuffer bytes = scratch.ensureCapacity(Footer.SIZE);
    file.read(footerOffset(), bytes, Footer.SIZE);
    return Footer.decode(bytes, file.name(), footerOffset());
  }

  private long footerOffset() {
    return file.size() - Footer.SIZE;
  }

  private TableIndex readIndex(BlockHandle handle) {
    OwnedBlock block = blocks.resident(file, handle, footerOffset());
    try {
      BlockIterator entries = new BlockIterator(comparator, scratch);
      entries.reset(block.bytes(), block.length(), file.name(), handle.offset());
      return TableIndex.of(entries, comparator, file, handle.offset(), blocks);
    } finally {
      block.close();
    }
  }

  private @Nullable BlockHandle findFilter(BlockHandle metaindex, FilterPolicy policy) {
    OwnedBlock block = blocks.resident(file, metaindex, footerOffset());
    try {
      UserKeyComparator order = new UserKeyComparator(DBComparator.bytewise());
      BlockIterator entries = new BlockIterator(order, scratch);
      entries.reset(block.bytes(), block.length(), file.name(), metaindex.offset());
      String name = TableBuilder.FILTER_PREFIX + policy.name();
      return find(entries, name.getBytes(StandardCharsets.UTF_8), metaindex.offset());
    } finally {
      block.close();
    }
  }

  private @Nullable BlockHandle find(BlockIterator entries, byte[] wanted, long from) {
    for (entries.seekToFirst(); entries.isValid(); entries.next()) {
      byte[] key = new byte[entries.keyLength()];
      entries.keyBuffer().get(entries.keyOffset(), key);
      if (Arrays.equals(key, wanted)) {
        int at = entries.valueOffset();
        BlockHandle handle =
            BlockHandle.decode(entries.valueBuffer(), at, at + entries.valueLength());
        if (handle == null) {
          throw new CorruptionException("bad block handle in the metaindex", file.name(), from);
        }
        return handle;
      }
    }
    return null;
  }

  @Override
  public void close() {
    blocks.releaseScratch(scratch);
    if (handedOver) {
      return;
    }
    if (index != null) {
      index.free();
    }
    if (filterBlock != null) {
      filterBlock.close();
    }
    file.close();
  }
}
