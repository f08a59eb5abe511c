package dev.kv.core.write;

import dev.kv.core.memtable.MemTable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Where committed writes go: the memtables and the log of the database.
 *
 * <p>Only the leader calls these methods, so no two calls overlap; each call sees the effects of
 * those before it, whichever thread made them.
 */
public interface CommitTarget {
  /** Returns the memtable that takes writes. */
  MemTable memtable();

  /**
   * Makes {@link #memtable} one with room for {@code count} entries of {@code bytes} keys and
   * values in all, and begins the log if there is none. A memtable without room is replaced if it
   * is empty; otherwise it becomes immutable, its flush is started, and the new memtable gets a new
   * log. The caller checks before that one more immutable memtable may wait.
   *
   * <p>An exception fails the write for which this was called, before it was logged; then nothing
   * has changed, or {@link WriteGate#fail} was called.
   *
   * @param fresh replaces a memtable that is not empty even if it has room
   * @throws IOException if no log can be created
   */
  void makeRoom(long bytes, int count, boolean fresh) throws IOException;

  /**
   * Appends a record to the log of {@link #memtable}. Its name in the directory is durable already.
   *
   * @param record the buffer with the record at its start, borrowed; not used if {@code length} is
   *     0
   * @param length the length of the record, or 0 to append nothing
   * @param sync makes the log durable up to this record, and before it every older log that is
   *     live, so that no loss of power keeps this record and loses those before it
   */
  void append(ByteBuffer record, int length, boolean sync) throws IOException;
}
