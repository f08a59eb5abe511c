package dev.kv.core.table;

import dev.kv.FilterPolicy;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Escape;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.table.block.BlockIterator;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.TableFile;
import dev.kv.core.table.cache.UncachedBlock;
import dev.kv.core.table.format.BlockHandle;
import dev.kv.core.table.format.Footer;
import dev.kv.core.table.format.TableBuilder;
import dev.kv.core.table.format.TableProperties;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.UnsupportedFormatException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Opens a table: reads and verifies the footer, the index, the filter and the properties. It owns
 * them and the file until {@link #transferOwnership}; if it is closed before that, it frees them.
 *
 * <p>Nothing depends on the properties for its correctness. If they cannot be read, the table is
 * opened without them, and a warning is logged.
 */
final class TableOpening implements AutoCloseable {
  private static final EngineLogger LOG = EngineLogger.of(TableOpening.class);

  private final TableFile file;
  private final KeyComparator comparator;
  private final BlockProvider blocks;
  private final OffHeapBuffer scratch;
  private @Nullable Footer footer;
  private @Nullable TableIndex index;
  private @Nullable UncachedBlock filterBlock;
  private @Nullable TableProperties properties;
  private boolean handedOver;

  private TableOpening(TableFile file, KeyComparator comparator, BlockProvider blocks) {
    this.file = file;
    this.comparator = comparator;
    this.blocks = blocks;
    scratch = blocks.acquireScratch();
  }

  /** Begins to open {@code file}, and takes ownership of it. */
  static TableOpening of(TableFile file, KeyComparator comparator, BlockProvider blocks) {
    try {
      return new TableOpening(file, comparator, blocks);
    } catch (Throwable e) {
      file.close();
      throw e;
    }
  }

  /**
   * Reads the footer and the index, the filter if a policy is given, and the properties of a table
   * of internal keys.
   */
  void read(@Nullable FilterPolicy policy) {
    Footer end = file.readFooter(scratch.ensureCapacity(Footer.SIZE));
    footer = end;
    index = readIndex(end.index());
    boolean internal = comparator instanceof InternalKeyComparator;
    if (policy == null && !internal) {
      return;
    }
    MetaBlocks named = policy == null ? metaBlocksIfReadable() : readMetaindex(policy);
    BlockHandle filter = named.filter();
    if (filter != null) {
      filterBlock = blocks.resident(file, filter, end.metaindex().offset());
    }
    BlockHandle described = named.properties();
    if (internal && described != null) {
      properties = readProperties(described);
    }
  }

  /** The blocks that the metaindex names. */
  private record MetaBlocks(@Nullable BlockHandle filter, @Nullable BlockHandle properties) {}

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
  @Nullable UncachedBlock filterBlock() {
    return filterBlock;
  }

  /** Returns the properties, or null if the table has none that can be read. */
  @Nullable TableProperties properties() {
    return properties;
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

  private long footerOffset() {
    return file.size() - Footer.SIZE;
  }

  private TableIndex readIndex(BlockHandle handle) {
    try (UncachedBlock block = blocks.resident(file, handle, footerOffset())) {
      BlockIterator entries = new BlockIterator(comparator, scratch);
      entries.reset(block.bytes(), block.length(), file.name(), handle.offset());
      return TableIndex.of(entries, comparator, file, handle.offset(), blocks);
    }
  }

  /** Reads the metaindex for the properties alone. */
  private MetaBlocks metaBlocksIfReadable() {
    try {
      return readMetaindex(null);
    } catch (CorruptionException | UnsupportedFormatException | DBIOException e) {
      warn(e);
      return new MetaBlocks(null, null);
    }
  }

  private MetaBlocks readMetaindex(@Nullable FilterPolicy policy) {
    BlockHandle metaindex = read(footer).metaindex();
    try (UncachedBlock block = blocks.resident(file, metaindex, footerOffset())) {
      UserKeyComparator order = new UserKeyComparator(DBComparator.bytewise());
      BlockIterator entries = new BlockIterator(order, scratch);
      entries.reset(block.bytes(), block.length(), file.name(), metaindex.offset());
      String filter = policy == null ? "" : TableBuilder.FILTER_PREFIX + policy.name();
      BlockHandle filterHandle = null;
      BlockHandle propertiesHandle = null;
      for (entries.seekToFirst(); entries.isValid(); entries.next()) {
        byte[] bytes = entries.copyKey();
        String key = new String(bytes, StandardCharsets.UTF_8);
        if (policy != null && key.equals(filter)) {
          filterHandle = BlockHandle.of(entries);
        } else if (key.equals(TableProperties.KEY)) {
          propertiesHandle = BlockHandle.of(entries);
        }
      }
      return new MetaBlocks(filterHandle, propertiesHandle);
    }
  }

  private @Nullable TableProperties readProperties(BlockHandle handle) {
    try (UncachedBlock block = blocks.resident(file, handle, read(footer).metaindex().offset())) {
      TableProperties found = TableProperties.decode(block.bytes(), block.length());
      if (found == null) {
        throw new CorruptionException(
            "the block " + TableProperties.KEY + " is malformed", file.name(), handle.offset());
      }
      return found;
    } catch (CorruptionException | UnsupportedFormatException | DBIOException e) {
      warn(e);
      return null;
    }
  }

  private void warn(RuntimeException failure) {
    LOG.warn(
        "{}: opened without its properties: {}",
        Escape.text(file.name()),
        Escape.text(String.valueOf(failure.getMessage())));
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
