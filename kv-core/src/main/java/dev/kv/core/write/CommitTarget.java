package dev.kv.core.write;

import dev.kv.core.memtable.MemTable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The target of committed writes: the memtables and the log of the database.
 *
 * <p>Only the leader calls these methods, except {@link #flushEarly}, so no two calls overlap. Each
 * call sees the effects of all earlier calls, also of those by other threads.
 */
public interface CommitTarget {
  /** Returns the mutable memtable. */
  MemTable memtable();

  /**
   * Makes sure that {@link #memtable} has room for {@code count} entries with {@code bytes} bytes
   * of keys and values in total, and creates the log if there is none. A memtable without room is
   * replaced if it is empty; otherwise it becomes immutable, its flush is started, and the new
   * memtable gets a new log. The caller has checked that one more immutable memtable is allowed.
   *
   * <p>If this throws, the write for which it was called fails before it is logged, and either
   * nothing has changed, or {@link ErrorHandler#fail} was called.
   *
   * @param fresh true to replace a memtable that is not empty even if it has room
   * @throws IOException if no log can be created
   */
  void makeRoom(long bytes, int count, boolean fresh) throws IOException;

  /**
   * Runs an allocation for the write for which {@link #makeRoom} has made room in an empty
   * memtable. If memory is short, waits as {@link #makeRoom} does for that of a memtable.
   *
   * @param bytes the size of the allocation
   * @param allocation throws {@link dev.kv.errors.OffHeapExhaustedException} if memory is short
   */
  void awaitMemory(long bytes, Runnable allocation);

  /**
   * Appends a record to the log of {@link #memtable}. The log's directory entry is already durable.
   *
   * @param record the buffer with the record at its start, borrowed; not used if {@code length} is
   *     0
   * @param length the length of the record, or 0 to append nothing
   * @param sync true to make the log durable up to this record. Every older live log is made
   *     durable first, so that a loss of power cannot keep this record and lose earlier ones
   */
  void append(ByteBuffer record, int length, boolean sync) throws IOException;

  /**
   * Called after a group of many bytes, or one after which the memtable has many tombstones, is
   * visible, by the thread that led it, when it leads no more. The target requests the flush of the
   * memtable if that is larger than it should be, or has too many tombstones. Must be quick and not
   * throw.
   */
  void flushEarly();

  /**
   * Wakes flushes and compactions that may have work but were not woken, because memory was short
   * when they should have been. Called about once a second by a leader that waits for them.
   */
  void wakeWork();

  /**
   * Notes that readers see a group, whose record was appended before. Must be quick and not throw.
   *
   * @param lastSequence the sequence number of the last operation of the group
   * @param synced true if this group and all earlier ones are durable
   */
  default void committed(long lastSequence, boolean synced) {}

  /**
   * Notes that the next sequence number is used up without an entry in the memtable. The log has
   * it, synced. Must be quick and not throw.
   */
  default void taken(long sequence) {}
}
