package dev.kv.core.table.format;

import dev.kv.Escape;
import dev.kv.FilterPolicy;
import dev.kv.core.block.BlockBuilder;
import dev.kv.core.filter.FilterBlockBuilder;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.key.ValueKind;
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
  private final @Nullable InternalKeyComparator internal;
  private final BuildBuffers buffers;
  private final BlockWriter writer;
  private final BlockBuilder data;
  private final BlockBuilder index;
  private final @Nullable FilterBlockBuilder filter;
  private final int keyTrailer;
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
    data = buffers.data();
    index = buffers.index();
    data.reset();
    index.reset();
    internal = comparator instanceof InternalKeyComparator order ? order : null;
    keyTrailer = internal == null ? 0 : InternalKey.TRAILER;
    FilterPolicy policy = format.filterPolicy();
    filter = policy == null ? null : new FilterBlockBuilder(policy, format.filterBaseLg());
    if (filter != null) {
      filter.startBlock(0);
    }
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
    begin(key, keyOffset, keyLength);
    append(key, keyOffset, keyLength, value, from, valueLength);
  }

  /**
   * Adds the current entry of {@code entry}, as {@link #add(ByteBuffer, int, int, ByteBuffer, int,
   * int)} does. If the entry is alone in its stored block, and the block is compressed like those
   * of this table, the stored block is copied.
   */
  public void add(InternalIterator entry) throws IOException {
    begin(entry.keyBuffer(), entry.keyOffset(), entry.keyLength());
    boolean alone = data.isEmpty() && entry.valueLength() >= format.blockSize();
    if (!alone || !copyStored(entry)) {
      append(
          entry.keyBuffer(),
          entry.keyOffset(),
          entry.keyLength(),
          entry.valueBuffer(),
          entry.valueOffset(),
          entry.valueLength());
    }
  }

  private boolean copyStored(InternalIterator entry) throws IOException {
    int length = entry.copyStoredBlock(buffers.scratch());
    ByteBuffer stored = buffers.scratch().buffer();
    if (length == 0 || stored.get(length - BlockWriter.TRAILER) != format.compression().code()) {
      return false;
    }
    data.setLastKey(entry.keyBuffer(), entry.keyOffset(), entry.keyLength());
    entries++;
    endBlock(writer.writeStored(stored, length));
    return true;
  }

  /** Checks the key of an entry to be added, and writes the pending index entry. */
  private void begin(ByteBuffer key, int keyOffset, int keyLength) {
    requireOpen();
    if (entries == 0) {
      userKeys = 1;
    } else {
      ByteBuffer last = data.lastKey();
      int lastLength = data.lastKeyLength();
      if (!isAfter(last, lastLength, key, keyOffset, keyLength)) {
        throw new IllegalArgumentException(
            "the key '"
                + Escape.bytes(InternalKey.copy(key, keyOffset, keyLength - keyTrailer))
                + "' is not after the key before it, '"
                + Escape.bytes(InternalKey.copy(last, 0, lastLength - keyTrailer))
                + "'");
      }
    }
    if (pending != null) {
      byte[] first = InternalKey.copy(key, keyOffset, keyLength);
      index(comparator.shortestSeparator(lastKey(), first), pending);
      pending = null;
    }
    if (filter != null) {
      filter.addKey(key, keyOffset, keyLength - keyTrailer);
    }
    if (internal != null) {
      count(InternalKey.tag(key, keyOffset, keyLength));
    }
  }

  /** Returns true if a key is after the last one; counts it if its user key is another. */
  private boolean isAfter(
      ByteBuffer last, int lastLength, ByteBuffer key, int keyOffset, int keyLength) {
    InternalKeyComparator order = internal;
    if (order == null) {
      return comparator.compare(last, 0, lastLength, key, keyOffset, keyLength) < 0;
    }
    int users = order.compareUserKeys(last, 0, lastLength, key, keyOffset, keyLength);
    if (users < 0) {
      userKeys++;
    }
    return users < 0
        || users == 0
            && Long.compareUnsigned(
                    InternalKey.tag(last, 0, lastLength),
                    InternalKey.tag(key, keyOffset, keyLength))
                > 0;
  }

  private void count(long tag) {
    long sequence = InternalKey.sequence(tag);
    leastSequence = Math.min(leastSequence, sequence);
    greatestSequence = Math.max(greatestSequence, sequence);
    if (InternalKey.kindCode(tag) == ValueKind.DELETION.code()) {
      tombstones++;
    }
  }

  private void append(
      ByteBuffer key, int keyOffset, int keyLength, ByteBuffer value, int from, int valueLength)
      throws IOException {
    data.add(key, keyOffset, keyLength, value, from, valueLength);
    entries++;
    if (data.sizeEstimate() >= format.blockSize()) {
      flush();
    }
  }

  /** Ends the data block, so that the next entry begins a new one. */
  public void flush() throws IOException {
    requireOpen();
    if (data.isEmpty()) {
      return;
    }
    int length = data.finish();
    BlockHandle handle = writer.writeCompressed(data.buffer(), length);
    data.reset();
    endBlock(handle);
  }

  private void endBlock(BlockHandle handle) {
    pending = handle;
    if (filter != null) {
      filter.startBlock(writer.offset());
    }
  }

  /** Returns the number of entries added. */
  public long entryCount() {
    return entries;
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
      index(comparator.shortSuccessor(lastKey()), pending);
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
   * Returns the properties of the table so far, or null if it gets none: it has no entries, its
   * keys are not internal keys, or the format is without.
   */
  public @Nullable TableProperties properties() {
    return internal == null || entries == 0 || !format.properties()
        ? null
        : new TableProperties(
            leastSequence,
            greatestSequence,
            entries,
            tombstones,
            writtenAt,
            internal.userComparator().name(),
            userKeys,
            format.compression().code());
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
    FilterPolicy policy = format.filterPolicy();
    if (filterHandle != null && policy != null) {
      byte[] key = (FILTER_PREFIX + policy.name()).getBytes(StandardCharsets.UTF_8);
      addHandle(data, key, filterHandle);
    }
    if (propertiesHandle != null) {
      addHandle(data, TableProperties.KEY.getBytes(StandardCharsets.UTF_8), propertiesHandle);
    }
    int length = data.finish();
    return writer.writeCompressed(data.buffer(), length);
  }

  private void index(byte[] key, BlockHandle handle) {
    addHandle(index, key, handle);
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
    return InternalKey.copy(data.lastKey(), 0, data.lastKeyLength());
  }

  private void requireOpen() {
    if (state != State.OPEN) {
      throw new IllegalStateException("the table builder is " + state);
    }
  }
}
