package dev.kv.core.compaction;

import dev.kv.Escape;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.version.FileMetadata;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Writes entries of ascending user keys to new tables, all with one sequence number. {@link #close}
 * deletes the tables unless {@link #finish} was called. Not thread-safe.
 */
public final class LoadWriter implements AutoCloseable {
  private static final int ENTRY_BYTES = 1 << 10;
  private static final byte[] NO_KEY = {};

  private final OutputContext context;
  private final OutputWriter out;
  private final OffHeapBuffer entry;
  private final long tag;
  private final long maxFileSize;

  /**
   * The last key of the table before, until the first key of the open one is known to follow it.
   */
  private byte[] before = NO_KEY;

  /**
   * Creates a writer without a table.
   *
   * @param sequence the sequence number of all entries
   * @param maxFileSize the size in bytes after which a table is ended
   */
  public LoadWriter(OutputContext context, long sequence, long maxFileSize) {
    this.context = context;
    this.tag = InternalKey.pack(sequence, ValueKind.VALUE);
    this.maxFileSize = maxFileSize;
    this.entry = new OffHeapBuffer(context.budget(), ENTRY_BYTES);
    boolean created = false;
    try {
      this.out = new OutputWriter(context);
      created = true;
    } finally {
      if (!created) {
        entry.close();
      }
    }
  }

  /**
   * Adds an entry.
   *
   * @throws IllegalArgumentException if the key is not after the last one; nothing was added
   */
  public void add(byte[] key, byte[] value) {
    ByteBuffer bytes = room(key.length, value.length);
    bytes.put(0, key);
    bytes.put(key.length + InternalKey.TRAILER, value);
    add(bytes, key.length, value.length);
  }

  /** Adds an entry, as the other method does; uses the remaining bytes of the buffers. */
  public void add(ByteBuffer key, ByteBuffer value) {
    int keyLength = key.remaining();
    int valueLength = value.remaining();
    add(key, key.position(), keyLength, value, value.position(), valueLength);
  }

  /** Adds an entry, as the other methods do. */
  public void add(
      ByteBuffer key, int keyOffset, int keyLength, ByteBuffer value, int from, int valueLength) {
    ByteBuffer bytes = room(keyLength, valueLength);
    bytes.put(0, key, keyOffset, keyLength);
    bytes.put(keyLength + InternalKey.TRAILER, value, from, valueLength);
    add(bytes, keyLength, valueLength);
  }

  private ByteBuffer room(int keyLength, int valueLength) {
    long bytes = (long) keyLength + InternalKey.TRAILER + valueLength;
    if (bytes > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "key and value of " + keyLength + " and " + valueLength + " bytes: 2 GiB is too much");
    }
    return entry.ensureCapacity((int) bytes);
  }

  private void add(ByteBuffer bytes, int keyLength, int valueLength) {
    int length = keyLength + InternalKey.TRAILER;
    bytes.putLong(keyLength, tag);
    if (out.openBytes() >= maxFileSize) {
      endTable();
    }
    if (before != NO_KEY && context.comparator().compare(bytes, 0, length, before) <= 0) {
      throw new IllegalArgumentException(
          "the key '"
              + Escape.bytes(InternalKey.copy(bytes, 0, keyLength))
              + "' is not after the key before it, '"
              + Escape.bytes(InternalKey.userKey(before))
              + "'");
    }
    out.add(bytes, 0, length, bytes, length, valueLength);
    before = NO_KEY;
  }

  /** Ends the open table, if there is one, so that the next entry begins a new one. */
  public void endTable() {
    if (out.hasOpenTable()) {
      out.finishTable();
      before = out.lastFinished().largest();
    }
  }

  /** Ends the last table. All tables are durable, except for their directory entries, and stay. */
  public List<FileMetadata> finish() {
    out.finishTable();
    out.keep();
    return out.finished();
  }

  @Override
  public void close() {
    out.close();
    entry.close();
  }
}
