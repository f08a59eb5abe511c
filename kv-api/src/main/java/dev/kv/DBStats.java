package dev.kv;

import java.util.List;

/**
 * The figures of a database at one moment. Sizes are in bytes, times in microseconds, counts since
 * the open.
 *
 * @param levels the levels, from 0 on
 * @param offHeap the memory held off the heap, by kind
 * @param mappedBytes the bytes of files that are mapped into memory, not counted in {@code offHeap}
 * @param blockCache the block cache's figures, over all databases that share it
 * @param writeStalls how writers were slowed down
 * @param recovery what the open found in the logs
 * @param lastSequence the sequence number of the last write
 * @param snapshots the number of open snapshots
 * @param openTables the number of open table files
 */
public record DBStats(
    List<Level> levels,
    OffHeap offHeap,
    long mappedBytes,
    Cache blockCache,
    WriteStalls writeStalls,
    Recovery recovery,
    long lastSequence,
    int snapshots,
    int openTables) {

  /** Copies the list. */
  public DBStats {
    levels = List.copyOf(levels);
  }

  /**
   * One level of the tree.
   *
   * @param files tables in it
   * @param bytes their size
   * @param compactionMicros time spent in compactions into it
   * @param compactionBytesRead bytes read by them
   * @param compactionBytesWritten bytes written by them
   */
  public record Level(
      int files,
      long bytes,
      long compactionMicros,
      long compactionBytesRead,
      long compactionBytesWritten) {}

  /**
   * Memory off the heap, by kind.
   *
   * @param memtables arenas of memtables, unused space included
   * @param blocks blocks in the cache and in use
   * @param indexesAndFilters index and filter blocks of open tables
   * @param writeBuffers buffers of the log, flushes, compactions and readers
   * @param limit the budget, {@link Options#offHeapLimit()}; 0 for none
   */
  public record OffHeap(
      long memtables, long blocks, long indexesAndFilters, long writeBuffers, long limit) {
    /** Returns the sum over the kinds. */
    public long total() {
      return memtables + blocks + indexesAndFilters + writeBuffers;
    }
  }

  /**
   * A cache's figures.
   *
   * @param capacity its capacity
   * @param charge the bytes in it
   * @param hits lookups that found their block
   * @param misses lookups that did not
   */
  public record Cache(long capacity, long charge, long hits, long misses) {}

  /**
   * How writers were held back because compactions were behind.
   *
   * @param delays writes that were slowed down
   * @param stops writes that had to wait for a flush or compaction
   * @param micros the time that all of them waited
   */
  public record WriteStalls(long delays, long stops, long micros) {}

  /**
   * What the open found in the logs.
   *
   * @param logs logs replayed
   * @param records batches replayed
   * @param droppedBytes bytes behind the point where recovery ended or damage was skipped; 0 when
   *     whole
   * @param reason why they were dropped; empty when whole
   */
  public record Recovery(int logs, long records, long droppedBytes, String reason) {}
}
