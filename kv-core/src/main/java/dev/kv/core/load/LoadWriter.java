package dev.kv.core.load;

import dev.kv.core.compaction.OutputContext;
import dev.kv.core.compaction.OutputWriter;
import dev.kv.core.compaction.OutputWriter.UnsyncedTable;
import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.memory.Undo;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.table.format.DataBlock;
import dev.kv.core.version.FileMetadata;
import dev.kv.file.PendingFault;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Writes entries of ascending user keys to new tables, all with one sequence number. {@link #close}
 * deletes the tables unless {@link #finish} was called. Not thread-safe.
 *
 * <p>The work is divided, because one thread would compress most of the time and then wait for each
 * sync. The caller's thread builds data blocks, and checks the order of the keys. A second thread
 * compresses the blocks and writes them to tables, and a third one syncs and verifies finished
 * tables. Few entries start no thread. What waits between the threads is bounded: {@value
 * #GROUPS_WAITING} groups of blocks and {@value #TABLES_WAITING} tables. A failure in one of them
 * is thrown by a later call, at the latest by {@link #finish}.
 */
final class LoadWriter implements AutoCloseable {
  private static final int ENTRY_BYTES = 1 << 10;
  private static final int KEY_BYTES = 256;
  private static final int GROUPS_WAITING = 2;
  private static final int TABLES_WAITING = 2;

  private final OutputContext context;
  private final PendingFault pendingFault = new PendingFault();
  private final OffHeapBuffer entry;
  private final OffHeapBuffer lastKey;
  private final long tag;
  private final long maxFileSize;

  /**
   * Used by the caller's thread until the first group is written, and then by the second one; the
   * third one completes its tables.
   */
  private final OutputWriter out;

  private final LoadStage<BlockGroup> writing;
  private final LoadStage<UnsyncedTable> syncing;

  /** Groups that were written, with their memory. */
  private final Queue<BlockGroup> free = new ConcurrentLinkedQueue<>();

  private int lastKeyLength;
  private BlockGroup group;
  private @Nullable DataBlock block;

  /**
   * Creates a writer without a table.
   *
   * @param sequence the sequence number of all entries
   * @param maxFileSize the size in bytes after which a table is ended
   * @param threads contains the threads that the writer starts, while they run; thread-safe
   */
  LoadWriter(OutputContext context, long sequence, long maxFileSize, Set<Thread> threads) {
    this.context = context;
    this.tag = InternalKey.pack(sequence, ValueKind.VALUE);
    this.maxFileSize = maxFileSize;
    this.entry = new OffHeapBuffer(context.budget(), 0);
    this.lastKey = new OffHeapBuffer(context.budget(), 0);
    try (Undo undo = new Undo(this::freeBuffers)) {
      entry.ensureCapacity(ENTRY_BYTES);
      lastKey.ensureCapacity(KEY_BYTES);
      this.out = new OutputWriter(context);
      undo.cancel();
    }
    group = new BlockGroup(context);
    syncing =
        new LoadStage<>(
            context.target().env(),
            "kv-load-sync",
            TABLES_WAITING,
            out::complete,
            out::abandon,
            threads);
    writing =
        new LoadStage<>(
            context.target().env(),
            "kv-load-write",
            GROUPS_WAITING,
            this::write,
            BlockGroup::close,
            threads);
  }

  /**
   * Adds an entry: the remaining bytes of the buffers, which may map a file.
   *
   * @throws IllegalArgumentException if the key is not after the last one; nothing was added
   */
  void add(ByteBuffer key, ByteBuffer value) {
    int keyLength = key.remaining();
    int valueLength = value.remaining();
    ByteBuffer bytes = reserveEntry(keyLength, valueLength);
    pendingFault.copyKeyOrValue(key, bytes, 0);
    pendingFault.copyKeyOrValue(value, bytes, keyLength + InternalKey.TRAILER);
    addEntry(bytes, keyLength, valueLength);
  }

  /**
   * Adds the current entry of a cursor over internal keys.
   *
   * @throws IllegalArgumentException if the key is not after the last one; nothing was added
   */
  void add(ForwardIterator entry) {
    add(
        entry.keyBuffer(),
        entry.keyOffset(),
        entry.keyLength() - InternalKey.TRAILER,
        entry.valueBuffer(),
        entry.valueOffset(),
        entry.valueLength());
  }

  /**
   * Adds an entry: parts of two buffers.
   *
   * @throws IllegalArgumentException if the key is not after the last one; nothing was added
   */
  void add(
      ByteBuffer key, int keyOffset, int keyLength, ByteBuffer value, int from, int valueLength) {
    ByteBuffer bytes = reserveEntry(keyLength, valueLength);
    bytes.put(0, key, keyOffset, keyLength);
    bytes.put(keyLength + InternalKey.TRAILER, value, from, valueLength);
    addEntry(bytes, keyLength, valueLength);
  }

  /** Throws IllegalArgumentException if an entry is too large for a load. */
  static void requireFits(int keyLength, int valueLength) {
    InternalKey.requireWritable(keyLength);
    if (MemTable.arenaBytesFor((long) keyLength + valueLength, 1) > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "key and value of " + keyLength + " and " + valueLength + " bytes: 2 GiB is too much");
    }
  }

  private ByteBuffer reserveEntry(int keyLength, int valueLength) {
    requireFits(keyLength, valueLength);
    return entry.ensureCapacity(keyLength + InternalKey.TRAILER + valueLength);
  }

  /** Adds the entry in {@code bytes}: the key, room for its trailer, and the value. */
  private void addEntry(ByteBuffer bytes, int keyLength, int valueLength) {
    int length = keyLength + InternalKey.TRAILER;
    bytes.putLong(keyLength, tag);
    DataBlock open = block;
    if (open != null && !open.hasRoomFor(length, valueLength)) {
      endFullBlock(open);
      open = null;
    }
    if (open == null) {
      open = begin();
    }
    open.add(bytes, 0, length, bytes, length, valueLength);
    if (open.isFull()) {
      endFullBlock(open);
    }
  }

  private void endFullBlock(DataBlock open) {
    endBlock(open);
    if (group.isFull()) {
      passGroup();
    }
  }

  private DataBlock begin() {
    DataBlock begun = group.begin();
    if (lastKeyLength > 0) {
      begun.follow(lastKey.buffer(), lastKeyLength);
    }
    block = begun;
    return begun;
  }

  private void endBlock(DataBlock open) {
    lastKeyLength = open.copyLastKey(lastKey);
    group.end();
    block = null;
  }

  private void endOpenBlock() {
    DataBlock open = block;
    if (open != null && !open.isEmpty()) {
      endBlock(open);
    }
  }

  private void passGroup() {
    BlockGroup full = group;
    BlockGroup next = free.poll();
    group = next == null ? new BlockGroup(context) : next;
    writing.submit(full);
  }

  /** Ends the open table, if there is one, so that the next entry begins a new one. */
  void endTable() {
    endOpenBlock();
    group.beginTable();
  }

  /** Writes a group; runs in the second thread. */
  private void write(BlockGroup full) {
    try (Undo undo = new Undo(full::close)) {
      List<DataBlock> blocks = full.blocks();
      for (int i = 0; i < blocks.size(); i++) {
        if (full.beginsTable(i) && out.openBytes() > 0) {
          syncing.submit(endedTable());
        }
        out.add(blocks.get(i));
        if (out.openBytes() >= maxFileSize) {
          syncing.submit(endedTable());
        }
      }
      full.clear();
      undo.cancel();
    }
    free.add(full);
  }

  private UnsyncedTable endedTable() {
    UnsyncedTable table = out.endTable();
    if (table == null) {
      throw new AssertionError("no table is open");
    }
    return table;
  }

  /** Ends the last table. All tables are durable, except for their directory entries, and stay. */
  List<FileMetadata> finish() {
    endOpenBlock();
    BlockGroup last = group;
    group = new BlockGroup(context);
    writing.finish(last);
    syncing.finish(out.endTable());
    out.keep();
    return out.finished();
  }

  @Override
  public void close() {
    writing.close();
    syncing.close();
    group.close();
    free.forEach(BlockGroup::close);
    out.close();
    freeBuffers();
  }

  private void freeBuffers() {
    entry.close();
    lastKey.close();
  }
}
