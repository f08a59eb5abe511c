package dev.kv.core.version;

import dev.kv.core.key.InternalKey;
import dev.kv.core.key.KeyRange;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The metadata of one table: its number, its size and its first and last internal key. All versions
 * that contain the table share one object, so it also counts the seeks left. Thread-safe.
 */
public final class FileMetadata {
  /** One seek costs about as much as the compaction of this many bytes. */
  private static final long BYTES_PER_SEEK = 16 << 10;

  private static final int MIN_ALLOWED_SEEKS = 100;

  /**
   * The bytes that iq80's port of LevelDB adds to the size of each table of a compaction: it takes
   * the size of an empty block for that of one more block.
   */
  private static final int IQ80_EXCESS = 4;

  private final long number;
  private final long size;
  private final byte[] smallest;
  private final byte[] largest;
  private final AtomicInteger allowedSeeks;

  /** Creates the metadata of a table; the arrays are internal keys, kept and never changed. */
  public FileMetadata(long number, long size, byte[] smallest, byte[] largest) {
    this.number = number;
    this.size = size;
    this.smallest = smallest;
    this.largest = largest;
    this.allowedSeeks =
        new AtomicInteger(
            (int) Math.min(Integer.MAX_VALUE, Math.max(MIN_ALLOWED_SEEKS, size / BYTES_PER_SEEK)));
  }

  /** Returns the metadata of a table of which only number and size are known. */
  public static FileMetadata ofUnknownKeys(long number, long size) {
    byte[] unknown = {};
    return new FileMetadata(number, size, unknown, unknown);
  }

  /** Returns the metadata of the same table with another size, and with all its seeks. */
  public FileMetadata ofSize(long actual) {
    return new FileMetadata(number, actual, smallest, largest);
  }

  /** Returns true if this size is the one that iq80 states for a table of {@code actual} bytes. */
  public boolean isOverstated(long actual) {
    return size - actual == IQ80_EXCESS;
  }

  /** Returns true if the first and the last key are known. */
  public boolean knowsKeys() {
    return smallest.length > 0;
  }

  /** Returns the file number, which is part of the file's name. */
  public long number() {
    return number;
  }

  /** Returns the file's size in bytes. */
  public long size() {
    return size;
  }

  /** Returns the first internal key; borrowed, never to be changed. */
  public byte[] smallest() {
    return smallest;
  }

  /** Returns the last internal key; borrowed, never to be changed. */
  public byte[] largest() {
    return largest;
  }

  /** Returns a copy of the first user key. */
  public byte[] smallestUserKey() {
    return InternalKey.userKey(smallest);
  }

  /** Returns a copy of the last user key. */
  public byte[] largestUserKey() {
    return InternalKey.userKey(largest);
  }

  /** Returns copies of the first and the last user key. */
  public KeyRange userKeys() {
    return new KeyRange(smallestUserKey(), largestUserKey());
  }

  /** Returns the number of seeks without a result that are left before a compaction pays off. */
  public int allowedSeeks() {
    return allowedSeeks.get();
  }

  /** Counts a seek; returns true if none is left. */
  boolean chargeSeek() {
    return allowedSeeks.decrementAndGet() <= 0;
  }

  @Override
  public String toString() {
    return "table " + number + " of " + size + " bytes";
  }
}
