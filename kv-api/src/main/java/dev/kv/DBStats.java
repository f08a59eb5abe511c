package dev.kv;

import java.util.List;

/**
 * Statistics of a database at one moment. Sizes are in bytes, times in microseconds; counts begin
 * at the open. Immutable.
 *
 * @param levels the levels, from 0
 * @param offHeap the memory that the database holds off the heap
 * @param mappedBytes the bytes of files that are mapped into memory; not part of {@code offHeap}
 * @param blockCache the block cache, with the use by all databases that share it
 * @param writeStalls how writes were slowed down
 * @param recovery what the open found in the logs
 * @param lastSequence the sequence number of the last write
 * @param snapshots the number of open snapshots
 * @param openIterators the number of iterators that are not closed; those that a program lost count
 *     until they are garbage-collected
 * @param leakedIterators the number of iterators that were garbage-collected without having been
 *     closed; above 0, the program has a leak
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
    int openIterators,
    long leakedIterators,
    int openTables) {

  /**
   * Creates the statistics, and copies the list.
   *
   * @param levels the levels, from 0
   * @param offHeap the memory that the database holds off the heap
   * @param mappedBytes the bytes of files that are mapped into memory; not part of {@code offHeap}
   * @param blockCache the block cache, with the use by all databases that share it
   * @param writeStalls how writes were slowed down
   * @param recovery what the open found in the logs
   * @param lastSequence the sequence number of the last write
   * @param snapshots the number of open snapshots
   * @param openIterators the number of iterators that are not closed; those that a program lost
   *     count until they are garbage-collected
   * @param leakedIterators the number of iterators that were garbage-collected without having been
   *     closed; above 0, the program has a leak
   * @param openTables the number of open table files
   */
  public DBStats {
    levels = List.copyOf(levels);
  }

  /**
   * Statistics of one level of the tree.
   *
   * @param files the number of tables in the level
   * @param bytes the size of these tables
   * @param compactionMicros the time spent in compactions into this level
   * @param compactionBytesRead the number of bytes that those compactions read
   * @param compactionBytesWritten the number of bytes that those compactions wrote
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
   * @param memtables the arenas of memtables, with their unused space
   * @param blocks the blocks in the cache and in use
   * @param indexesAndFilters the index and filter blocks of open tables
   * @param writeBuffers the buffers of the log, of flushes, of compactions and of reads
   * @param limit the limit, {@link Options#offHeapLimit()}; 0 if there is none
   */
  public record OffHeap(
      long memtables, long blocks, long indexesAndFilters, long writeBuffers, long limit) {
    /**
     * Returns the sum over all kinds.
     *
     * @return the sum in bytes
     */
    public long total() {
      return memtables + blocks + indexesAndFilters + writeBuffers;
    }
  }

  /**
   * Statistics of a block cache.
   *
   * @param capacity the capacity
   * @param charge the size of the blocks in the cache
   * @param hits the number of lookups that found their block
   * @param misses the number of lookups that did not
   */
  public record Cache(long capacity, long charge, long hits, long misses) {}

  /**
   * How writes were held back because flushes or compactions were behind.
   *
   * @param delays the number of writes that were slowed down
   * @param stops the number of writes that waited for a flush or a compaction
   * @param micros the time that all of them waited
   */
  public record WriteStalls(long delays, long stops, long micros) {}

  /**
   * What the open found in the logs.
   *
   * @param logs the number of logs that were replayed
   * @param records the number of batches that were replayed
   * @param droppedBytes the number of bytes that were dropped as damaged, or because they follow
   *     damage; 0 if the logs were complete
   * @param reason why they were dropped; empty if the logs were complete
   */
  public record Recovery(int logs, long records, long droppedBytes, String reason) {}
}
