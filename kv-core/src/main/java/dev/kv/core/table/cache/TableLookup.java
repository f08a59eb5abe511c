package dev.kv.core.table.cache;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.memory.Pinned;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.table.block.BlockIterator;
import dev.kv.core.table.block.EntryIndexLookup;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A lookup of one key in tables: the key, how blocks are read, the value found, and the memory that
 * is used on the way. Reusable, so that a lookup allocates nothing. Not thread-safe. Closed by the
 * thread that uses it, or when no thread uses it.
 */
public final class TableLookup implements AutoCloseable {
  /** The bytes before a copied value, for the user of {@link #copyMemory}. */
  public static final int PROBE_BYTES = Long.BYTES;

  private final UserKeyComparator order;
  private final LookupKey key;
  private final ValueRef value;
  private final LookupCounts counts;
  private final OffHeapBuffer scratch;
  private final OffHeapBuffer copy;
  private final BlockIterator cursor;
  private final EntryIndexLookup indexed = new EntryIndexLookup();
  private ReadFlags flags = ReadFlags.DEFAULT;
  private boolean copies;
  private long tag;

  /**
   * Creates a lookup in tables in the order of {@code comparator}.
   *
   * @param key is set before each lookup
   * @param value receives the value and its pin; released before the next lookup
   * @param counts counts what the lookups do
   */
  public TableLookup(
      InternalKeyComparator comparator,
      OffHeapBudget budget,
      LookupKey key,
      ValueRef value,
      LookupCounts counts) {
    this.key = key;
    this.value = value;
    this.counts = counts;
    order = comparator.userComparator();
    scratch = OffHeapBuffer.forReads(budget, 0);
    copy = OffHeapBuffer.forReads(budget, 0);
    cursor = new BlockIterator(comparator, scratch);
    scratch.ensureCapacity(BlockIterator.SCRATCH_BYTES); // last: what fails before leaves no memory
  }

  /** Sets how the next lookups read blocks. */
  @SuppressWarnings("ReferenceEquality")
  public void setFlags(ReadFlags next) {
    if (flags != next) {
      flags = next;
    }
  }

  /** Sets whether the values of the next lookups will be copied, so that they need no pin. */
  public void setCopies(boolean next) {
    copies = next;
  }

  /** Returns true if the value will be copied. */
  public boolean copies() {
    return copies;
  }

  /** Returns how blocks are read. */
  public ReadFlags flags() {
    return flags;
  }

  /** Returns the key. */
  public LookupKey key() {
    return key;
  }

  /** Returns the value, which is set if the last lookup has found one. */
  public ValueRef value() {
    return value;
  }

  /**
   * Makes the value of the cursor's entry the one found.
   *
   * @param pin keeps it valid, and belongs to the value from now on; null if the caller keeps it
   *     valid
   */
  public void setValue(@Nullable Pinned pin) {
    value.set(cursor.valueBuffer(), cursor.valueOffset(), cursor.valueLength(), pin);
  }

  /** Returns the number of bytes of the larger one of its buffers. */
  public int capacity() {
    return Math.max(scratch.buffer().capacity(), copy.buffer().capacity());
  }

  /** Returns the cursor over the data block that is searched. */
  public BlockIterator cursor() {
    return cursor;
  }

  /**
   * Makes a copy of {@code length} bytes at {@code offset} of {@code source} the value found.
   * Allocates nothing if {@link #hasCopyMemory} of {@link #PROBE_BYTES} more bytes.
   */
  public void copyValue(ByteBuffer source, int offset, int length) {
    ByteBuffer memory = copyMemory(PROBE_BYTES + length);
    memory.put(PROBE_BYTES, source, offset, length);
    value.setKept(memory, PROBE_BYTES, length);
  }

  /** Returns memory for a copy of {@code length} bytes, valid until the next call. */
  public ByteBuffer copyMemory(int length) {
    return copy.ensureCapacity(length);
  }

  /** Returns true if {@link #copyMemory} allocates nothing for {@code length} bytes. */
  public boolean hasCopyMemory(int length) {
    return length <= copy.buffer().capacity();
  }

  /** Adds one to a count of {@link LookupCounts}. */
  public void count(int what) {
    counts.increment(what);
  }

  /** Returns the tag of the entry that the last lookup found, which may be a tombstone. */
  public long tag() {
    return tag;
  }

  /**
   * Searches the block that the cursor is on for the newest entry of the key at or before its
   * sequence number. If the result is {@link LookupResult#FOUND}, the cursor is at that entry.
   *
   * @return one of {@link LookupResult}'s constants
   */
  public int search() {
    BlockIterator entry = cursor;
    ByteBuffer target = key.buffer();
    entry.seek(target, 0, key.internalKeyLength());
    if (!entry.isValid()) {
      return LookupResult.NOT_FOUND;
    }
    ByteBuffer found = entry.keyBuffer();
    int from = entry.keyOffset();
    int length = entry.keyLength();
    int userLength = key.userKeyLength();
    if (order.compare(found, from, length - InternalKey.TRAILER, target, 0, userLength) != 0) {
      return LookupResult.NOT_FOUND;
    }
    tag = InternalKey.tag(found, from, length);
    int kind = InternalKey.kindCode(tag);
    if (kind == ValueKind.VALUE.code()) {
      return LookupResult.FOUND;
    }
    if (kind != ValueKind.DELETION.code()) {
      throw entry.corruption("an entry of unknown kind " + kind, "");
    }
    return LookupResult.DELETED;
  }

  /**
   * Searches a block by its entry index, without the cursor; see {@link EntryIndexLookup#search}.
   * If the result is {@link LookupResult#FOUND}, the caller copies the value.
   */
  public int search(ByteBuffer block, int begin, int length, ByteBuffer index, int indexAt) {
    int result = indexed.search(block, begin, length, index, indexAt, key);
    tag = indexed.tag();
    return result;
  }

  /** Returns the length of the value that the search by the entry index has found. */
  public int indexedLength() {
    return indexed.valueLength();
  }

  /** Returns the offset of that value in the buffer of the block. */
  public int indexedOffset() {
    return indexed.valueOffset();
  }

  @Override
  public void close() {
    scratch.close();
    copy.close();
  }
}
