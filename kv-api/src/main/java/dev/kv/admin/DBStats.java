package dev.kv.admin;

import dev.kv.errors.ConflictException;
import dev.kv.errors.OperationTooLargeException;
import dev.kv.errors.TransactionTooOldException;
import java.util.List;

/**
 * Statistics of a database at one moment. Sizes are in bytes, times in microseconds; counts begin
 * at the open. Immutable.
 *
 * @param levels the levels, from 0
 * @param memory the memory that the database holds, and the tables that are open
 * @param reads how lookups were answered
 * @param writes what was written, and how writes were slowed down
 * @param recovery what the open found in the logs
 * @param views the snapshots and iterators that are open
 * @param transactions the transactions, and how they ended
 * @param filtered what the compaction filter has done
 */
public record DBStats(
    List<Level> levels,
    Memory memory,
    Reads reads,
    Writes writes,
    Recovery recovery,
    Views views,
    Transactions transactions,
    Filtered filtered) {

  /**
   * Creates the statistics, and copies the list.
   *
   * @param levels the levels, from 0
   * @param memory the memory that the database holds, and the tables that are open
   * @param reads how lookups were answered
   * @param writes what was written, and how writes were slowed down
   * @param recovery what the open found in the logs
   * @param views the snapshots and iterators that are open
   * @param transactions the transactions, and how they ended
   * @param filtered what the compaction filter has done
   */
  public DBStats {
    levels = List.copyOf(levels);
  }

  /**
   * Returns the size of all tables.
   *
   * @return the size in bytes
   */
  public long tableBytes() {
    return levels.stream().mapToLong(Level::bytes).sum();
  }

  /**
   * Returns the read amplification: how many data blocks a lookup has searched on average, whether
   * they were in the cache or not.
   *
   * @return the blocks per lookup; 0 if there was no lookup
   */
  public double readAmplification() {
    long lookups = reads.lookups();
    return lookups == 0 ? 0 : (double) reads.blocks() / lookups;
  }

  /**
   * Returns the write amplification: how many bytes were written to the log and to tables, by
   * flushes and compactions, for each byte of the writes.
   *
   * @return the bytes written per byte; 0 if nothing was written
   */
  public double writeAmplification() {
    long tables = levels.stream().mapToLong(Level::compactionBytesWritten).sum();
    return writes.bytes() == 0 ? 0 : (double) (writes.bytes() + tables) / writes.bytes();
  }

  /**
   * Returns an estimate of the space amplification: the size of all tables relative to that of the
   * deepest level with tables. What the other levels hold is mostly newer versions of what is
   * there.
   *
   * @return the ratio; 0 if there is no table
   */
  public double spaceAmplification() {
    for (int level = levels.size() - 1; level >= 0; level--) {
      if (levels.get(level).bytes() > 0) {
        return (double) tableBytes() / levels.get(level).bytes();
      }
    }
    return 0;
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
   * What the database holds in memory.
   *
   * @param offHeap the memory off the heap, with the use by all databases that share it
   * @param blockCache the block cache, with the use by all databases that share it
   * @param mappedBytes the bytes of files that are mapped into memory; not part of {@code offHeap}
   * @param openTables the number of open table files
   */
  public record Memory(OffHeap offHeap, Cache blockCache, long mappedBytes, int openTables) {}

  /**
   * Memory off the heap, by kind.
   *
   * @param memtables the arenas of memtables, with their unused space
   * @param blocks the blocks in the cache and in use, and the free space between them
   * @param indexesAndFilters the index and filter blocks of open tables, with the filters and entry
   *     indexes of single blocks
   * @param writeBuffers the buffers of the log, of flushes, of compactions and of reads
   * @param limit the limit, {@link dev.kv.Options.Memory#offHeapLimit()} or that of the shared
   *     resources; 0 if there is none
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
   * How lookups were answered: all calls that look up one key. Counts may be late by the lookups
   * that run at the moment.
   *
   * @param memtables the number of lookups answered by a memtable
   * @param levels the number of lookups answered by each level, from 0
   * @param notFound the number of lookups of keys that are nowhere
   * @param filterNegatives how often a filter has saved the search of a table
   * @param filterFalsePositives how often a filter has let a search through that found nothing
   * @param cachedNegatives how often the search of a table was saved because earlier lookups of
   *     similar keys had not found theirs
   * @param blocks the number of data blocks searched
   * @param iterators the number of iterators that were opened
   */
  public record Reads(
      long memtables,
      List<Long> levels,
      long notFound,
      long filterNegatives,
      long filterFalsePositives,
      long cachedNegatives,
      long blocks,
      long iterators) {
    /**
     * Creates the statistics, and copies the list.
     *
     * @param memtables the number of lookups answered by a memtable
     * @param levels the number of lookups answered by each level, from 0
     * @param notFound the number of lookups of keys that are nowhere
     * @param filterNegatives how often a filter has saved the search of a table
     * @param filterFalsePositives how often a filter has let a search through that found nothing
     * @param cachedNegatives how often the search of a table was saved because earlier lookups of
     *     similar keys had not found theirs
     * @param blocks the number of data blocks searched
     * @param iterators the number of iterators that were opened
     */
    public Reads {
      levels = List.copyOf(levels);
    }

    /**
     * Returns the number of lookups. One that a tombstone has answered counts where the tombstone
     * is.
     *
     * @return the number of lookups
     */
    public long lookups() {
      return memtables + levels.stream().mapToLong(Long::longValue).sum() + notFound;
    }
  }

  /**
   * What was written since the open.
   *
   * @param operations the number of puts and deletes
   * @param bytes the bytes of keys and values, with a few bytes for each operation and batch, as
   *     they are in the log
   * @param syncs the number of syncs of the log
   * @param syncMicros the time that all syncs took
   * @param lastSequence the sequence number of the last write
   * @param stalls how writes were slowed down
   */
  public record Writes(
      long operations,
      long bytes,
      long syncs,
      long syncMicros,
      long lastSequence,
      WriteStalls stalls) {}

  /**
   * The snapshots and iterators that are open.
   *
   * @param snapshots the number of open snapshots
   * @param iterators the number of iterators that are not closed; those that a program lost count
   *     until they are garbage-collected
   * @param leakedIterators the number of iterators that were garbage-collected without having been
   *     closed; above 0, the program has a leak
   * @param oldestIterators the iterators that have been open for the longest time, the oldest
   *     first, at most 10
   */
  public record Views(
      int snapshots, int iterators, long leakedIterators, List<OpenIterator> oldestIterators) {
    /**
     * Creates the statistics, and copies the list.
     *
     * @param snapshots the number of open snapshots
     * @param iterators the number of iterators that are not closed
     * @param leakedIterators the number of iterators that were lost
     * @param oldestIterators the iterators that have been open for the longest time
     */
    public Views {
      oldestIterators = List.copyOf(oldestIterators);
    }
  }

  /**
   * An iterator that is not closed.
   *
   * @param ageMicros the time since it was opened
   * @param opened the stack of the thread that opened it; empty unless {@link
   *     dev.kv.Options.Monitoring#trackIterators()} is set
   */
  public record OpenIterator(long ageMicros, List<StackTraceElement> opened) {
    /**
     * Creates the description, and copies the list.
     *
     * @param ageMicros the time since it was opened
     * @param opened the stack of the thread that opened it; empty unless {@link
     *     dev.kv.Options.Monitoring#trackIterators()} is set
     */
    public OpenIterator {
      opened = List.copyOf(opened);
    }
  }

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
   * @param droppedBytes the number of bytes of logs, and of the MANIFEST's end, that were dropped
   *     as damaged, or because they follow damage; 0 if the files were complete
   * @param reason why they were dropped, and which files were moved to the subdirectory {@code
   *     lost/}; empty if the files were complete
   */
  public record Recovery(int logs, long records, long droppedBytes, String reason) {}

  /**
   * Transactions, and how they ended.
   *
   * @param open the number of transactions that have not ended
   * @param committed the number of transactions that were committed
   * @param conflicts the number of commits that failed with {@link ConflictException}
   * @param tooLarge the number of operations that failed with {@link OperationTooLargeException}
   * @param tooOld the number of transactions that ended because they were too old; the next
   *     operation of such a transaction throws {@link TransactionTooOldException}
   * @param leaked the number of transactions that were garbage-collected without having ended
   */
  public record Transactions(
      long open, long committed, long conflicts, long tooLarge, long tooOld, long leaked) {}

  /**
   * What {@link dev.kv.Options.Compaction#filter()} has done.
   *
   * @param dropped the number of entries that it dropped
   * @param replaced the number of entries that got another value
   * @param failures the number of compactions in which it threw an exception
   */
  public record Filtered(long dropped, long replaced, long failures) {}
}
