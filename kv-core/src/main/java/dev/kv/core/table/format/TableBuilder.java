package dev.kv.core.table.format;

import dev.kv.FilterPolicy;
import dev.kv.core.codec.BlockCompression;
import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.table.block.BlockBuilder;
import dev.kv.core.table.filter.FilterBlockBuilder;
import dev.kv.core.table.filter.FilterKeys;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writes a table, byte for byte as LevelDB does, except for the block of {@link TableProperties},
 * which LevelDB ignores. Must be ended with {@link #finish} or {@link #abandon}, exactly once. The
 * owner of the file syncs and closes it, and deletes it if an exception left the table unfinished.
 *
 * <pre>
 * table     := data block*, [filter block], [properties block], metaindex block, index block,
 *              footer
 * index     := for each data block: a key at or after its last key and before the next block's
 *              first, mapped to the data block's handle; restart interval 1
 * metaindex := "filter." and the policy's name, mapped to the filter block's handle
 *              "kv.properties", mapped to the properties block's handle
 * </pre>
 *
 * {@link BlockWriter} describes how blocks are stored. Filter and properties are never compressed.
 */
public final class TableBuilder {
  /** The prefix of a filter's key in the metaindex. */
  public static final String FILTER_PREFIX = "filter.";

  private enum State {
    OPEN,
    FINISHED,
    ABANDONED
  }

  private final TableFormat format;
  private final KeyComparator comparator;
  private final BuildBuffers buffers;
  private final BlockWriter writer;
  private final DataBlock data;
  private final BlockBuilder index;
  private final @Nullable FilterBlockBuilder filter;
  private @Nullable BlockObserver observer;
  private State state = State.OPEN;
  private long entries;
  private long userKeys;
  private long tombstones;
  private long leastSequence = InternalKey.MAX_SEQUENCE;
  private long greatestSequence;
  private long writtenAt;

  /**
   * The last block, which has no index entry yet: the entry depends on the first key of the next
   * block.
   */
  private @Nullable BlockHandle pending;

  /** The last key of the last block. */
  private byte[] lastStored = {};

  /**
   * Creates a builder at the beginning of {@code file}. It has exclusive use of {@code buffers},
   * which were created for the same format, until it ends.
   */
  public TableBuilder(
      TableFormat format, KeyComparator comparator, WritableFile file, BuildBuffers buffers) {
    this.format = format;
    this.comparator = comparator;
    this.buffers = buffers;
    writer = new BlockWriter(format, file, buffers);
    data = new DataBlock(format, comparator, buffers.data());
    index = buffers.index();
    index.reset();
    FilterPolicy policy = format.filterPolicy();
    filter = policy == null ? null : new FilterBlockBuilder(policy, format.filterBaseLg());
    if (filter != null) {
      filter.startBlock(0);
    }
  }

  /** Sets what is told of the entries of cursors that are added, and of all data blocks. */
  public void setObserver(@Nullable BlockObserver observer) {
    this.observer = observer;
  }

  /** Sets the time for the properties of the table, in seconds since 1970. */
  public void setWrittenAt(long seconds) {
    writtenAt = seconds;
  }

  /**
   * Adds an entry; throws {@link IllegalArgumentException} if its key is not after the last one.
   */
  public void add(
      ByteBuffer key, int keyOffset, int keyLength, ByteBuffer value, int from, int valueLength)
      throws IOException {
    requireOpen();
    if (!data.hasRoomFor(keyLength, valueLength)) {
      flush();
    }
    data.add(key, keyOffset, keyLength, value, from, valueLength);
    if (data.isFull()) {
      flush();
    }
  }

  /**
   * Adds the current entry of {@code entry}, as {@link #add(ByteBuffer, int, int, ByteBuffer, int,
   * int)} does. If the entry is alone in its stored block, and the block is compressed like those
   * of this table, the stored block is copied.
   */
  public void add(ForwardIterator entry) throws IOException {
    if (observer != null) {
      observer.entry(entry);
    }
    boolean alone = data.isEmpty() && entry.valueLength() >= format.blockSize();
    if (!alone || !copyStored(entry)) {
      add(
          entry.keyBuffer(),
          entry.keyOffset(),
          entry.keyLength(),
          entry.valueBuffer(),
          entry.valueOffset(),
          entry.valueLength());
    }
  }

  private boolean copyStored(ForwardIterator entry) throws IOException {
    requireOpen();
    int length =
        entry.source() instanceof StoredBlockCursor table
            ? table.copyStoredBlock(buffers.scratch())
            : 0;
    ByteBuffer stored = buffers.scratch().buffer();
    byte code = format.compression().code();
    int trailer = length - BlockWriter.TRAILER;
    if (length == 0
        || stored.get(trailer) != code
        || !BlockCompression.isOwn(code, stored, trailer)) {
      return false;
    }
    data.addStored(entry.keyBuffer(), entry.keyOffset(), entry.keyLength());
    BlockHandle handle = writer.writeStored(stored, length);
    writePendingIndex(data.lastKey());
    endBlock(data, handle);
    if (observer != null) {
      observer.copied(handle.offset());
    }
    return true;
  }

  /**
   * Adds the entries of a block that was built elsewhere for the same format and order, and resets
   * it. Requires that its keys are after all others of the table. The table consists of such blocks
   * only, or of single entries only.
   */
  public void add(DataBlock block) throws IOException {
    requireOpen();
    store(block);
  }

  /** Ends the data block, so that the next entry begins a new one. */
  public void flush() throws IOException {
    requireOpen();
    store(data);
  }

  private void store(DataBlock block) throws IOException {
    if (!block.isEmpty()) {
      writePendingIndex(block.firstKey());
      BlockBuilder contents = block.block();
      int length = contents.finish();
      BlockHandle handle = writer.writeCompressed(contents.buffer(), length);
      if (observer != null) {
        observer.written(handle.offset(), contents.buffer(), length);
      }
      endBlock(block, handle);
    }
  }

  /** Writes the pending index entry, if there is one; {@code first} begins the next block. */
  private void writePendingIndex(byte[] first) {
    if (pending != null) {
      addHandle(index, comparator.shortestSeparator(lastStored, first), pending);
      pending = null;
    }
  }

  private void endBlock(DataBlock block, BlockHandle handle) {
    pending = handle;
    lastStored = block.lastKey();
    entries += block.entries();
    userKeys += block.userKeys();
    tombstones += block.tombstones();
    leastSequence = Math.min(leastSequence, block.leastSequence());
    greatestSequence = Math.max(greatestSequence, block.greatestSequence());
    FilterKeys keys = block.keys();
    if (filter != null && keys != null) {
      filter.addKeys(keys);
      filter.startBlock(writer.offset());
    }
    block.reset();
  }

  /** Returns the number of entries added. */
  public long entryCount() {
    return entries + data.entries();
  }

  /**
   * Returns the size of the finished blocks in bytes; after {@link #finish}, the size of the file.
   */
  public long fileSize() {
    return writer.offset();
  }

  /** Writes the rest of the table to the file. */
  public void finish() throws IOException {
    flush();
    if (pending != null) {
      addHandle(index, comparator.shortSuccessor(lastStored), pending);
      pending = null;
    }
    BlockHandle filterHandle = filter == null ? null : writeMetaBlock(filter.finish());
    TableProperties described = properties();
    BlockHandle propertiesHandle = described == null ? null : writeMetaBlock(described.encode());
    BlockHandle metaindex = writeMetaindex(filterHandle, propertiesHandle);
    int length = index.finish();
    BlockHandle indexHandle = writer.writeCompressed(index.buffer(), length);
    writer.finish(new Footer(metaindex, indexHandle));
    state = State.FINISHED;
  }

  /** Abandons the table. The file is unusable. */
  public void abandon() {
    requireOpen();
    state = State.ABANDONED;
  }

  /**
   * Returns the properties of the table, or null if it gets none: it has no entries, its keys are
   * not internal keys, or the format is without.
   */
  private @Nullable TableProperties properties() {
    return comparator instanceof InternalKeyComparator order && entries > 0 && format.properties()
        ? new TableProperties(
            leastSequence,
            greatestSequence,
            entries,
            tombstones,
            writtenAt,
            order.userComparator().name(),
            userKeys,
            format.compression().code())
        : null;
  }

  private BlockHandle writeMetaBlock(byte[] contents) throws IOException {
    ByteBuffer block = buffers.scratch().ensureCapacity(contents.length);
    block.put(0, contents);
    return writer.writeRaw(block, contents.length);
  }

  /** Writes the metaindex, whose keys are in bytewise order. */
  private BlockHandle writeMetaindex(
      @Nullable BlockHandle filterHandle, @Nullable BlockHandle propertiesHandle)
      throws IOException {
    BlockBuilder metaindex = buffers.data();
    FilterPolicy policy = format.filterPolicy();
    if (filterHandle != null && policy != null) {
      byte[] key = (FILTER_PREFIX + policy.name()).getBytes(StandardCharsets.UTF_8);
      addHandle(metaindex, key, filterHandle);
    }
    if (propertiesHandle != null) {
      addHandle(metaindex, TableProperties.KEY.getBytes(StandardCharsets.UTF_8), propertiesHandle);
    }
    int length = metaindex.finish();
    return writer.writeCompressed(metaindex.buffer(), length);
  }

  private void addHandle(BlockBuilder block, byte[] key, BlockHandle handle) {
    ByteBuffer entry = buffers.scratch().ensureCapacity(key.length + BlockHandle.MAX_ENCODED);
    entry.put(0, key);
    int end = handle.encode(entry, key.length);
    block.add(entry, 0, key.length, entry, key.length, end - key.length);
  }

  /**
   * Returns a copy of the last key added. Requires that there is one and that the table is not
   * finished.
   */
  public byte[] lastKey() {
    return data.isEmpty() ? lastStored.clone() : data.lastKey();
  }

  private void requireOpen() {
    if (state != State.OPEN) {
      throw new IllegalStateException("the table builder is " + state);
    }
  }
}
