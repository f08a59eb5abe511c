package dev.kv.core.write;

import dev.kv.core.log.LogWriter;
import dev.kv.core.memtable.MemTable;
import java.io.IOException;

/**
 * Where committed writes go: the database, as the commit pipeline sees it.
 *
 * <p>Only the leader of the moment calls these, so no two calls overlap; each call sees the effects
 * of those before it, whichever thread made them. {@link #level0Files} and {@link #flushIsBehind}
 * read what background threads change, who call {@link CommitPipeline#progress} after a change.
 */
public interface CommitTarget {
  /** Returns the memtable that takes writes. */
  MemTable memtable();

  /**
   * Returns whether there is a log: not before the first write where the open found nothing to
   * recover.
   */
  boolean hasLog();

  /**
   * Returns the log of that memtable, which there must be; its name in the directory is durable
   * already.
   */
  LogWriter log();

  /** Returns how many tables level 0 has. Called for every group: a few loads, no lock. */
  int level0Files();

  /**
   * Returns true while {@link #switchMemTable} would leave more memtables to flush than are
   * allowed.
   */
  boolean flushIsBehind();

  /**
   * Begins the log, of which there is none, and makes the state that the open found durable. What
   * it throws fails the write it was called for, before that was logged; it then must have changed
   * nothing, or have called {@link WriteGate#fail}.
   */
  void beginLog() throws IOException;

  /**
   * Puts a memtable with room for {@code count} entries of {@code bytes} keys and values in all in
   * the place of the present one, which is empty; the log stays. What it throws fails the write it
   * was called for, and has changed nothing.
   */
  void replaceEmptyMemTable(long bytes, int count);

  /**
   * Makes the memtable immutable, starts its flush, and begins a new log and a memtable that has
   * room for {@code count} entries of {@code bytes} keys and values in all. Called only while
   * {@link #flushIsBehind} is false.
   *
   * <p>What it throws fails the write it was called for, before that was logged; it then must have
   * changed nothing, or have called {@link WriteGate#fail}.
   */
  void switchMemTable(long bytes, int count) throws IOException;

  /**
   * Makes every live log older than {@link #log} durable. Called before the first synced write in a
   * log, so that no loss of power brings that write back without those before it.
   */
  void syncOlderLogs() throws IOException;

  /**
   * Has the log's {@link LogWriter#reserveAhead} called in the background. Called after each group
   * for which {@link LogWriter#needsReserve} is true, so again until it is done; must be quick, and
   * must not throw.
   */
  void reserveLog();
}
