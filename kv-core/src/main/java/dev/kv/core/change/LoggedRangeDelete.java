package dev.kv.core.change;

import dev.kv.DBIterator;
import dev.kv.ReadOptions;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.read.DatabaseReader;
import dev.kv.core.write.CommitPipeline;
import dev.kv.core.write.ExclusiveWriter;
import dev.kv.errors.OperationTooLargeException;

/**
 * Deletes all keys of a range through the log: one batch with a tombstone for every key. Used
 * instead of {@link RangeDelete} if readers of changes follow the log. No other thread writes from
 * the scan of the range to the end of the batch, so that the batch is the state of one moment.
 */
public final class LoggedRangeDelete {
  /** The limit of the batch. It takes three times as much on the heap while it grows. */
  private static final long MAX_BYTES = Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 8);

  private final DatabaseReader reader;
  private final CommitPipeline commits;

  /** Creates the object for one open database. */
  public LoggedRangeDelete(DatabaseReader reader, CommitPipeline commits) {
    this.reader = reader;
    this.commits = commits;
  }

  /**
   * Deletes the keys of a range. Durable when it returns, with all earlier writes.
   *
   * @throws OperationTooLargeException if the tombstones exceed the limit of one batch; nothing was
   *     deleted
   */
  public void delete(KeyBounds range) {
    try (ExclusiveWriter writer = commits.exclusive()) {
      EncodedBatch batch = new EncodedBatch();
      try (DBIterator keys = reader.iterator(options(range))) {
        for (keys.seekToFirst(); keys.isValid(); keys.next()) {
          batch.delete(keys.key());
          checkSize(batch);
        }
      }
      writer.write(batch);
    }
  }

  private static void checkSize(EncodedBatch batch) {
    if (batch.length() > MAX_BYTES) {
      throw new OperationTooLargeException(
          "the range has more keys than one batch may delete: the tombstones of the first "
              + batch.count()
              + " keys have more than "
              + MAX_BYTES
              + " bytes; nothing was deleted. With Options.logRetention a range is deleted as one"
              + " batch, which readers of changes see whole: delete smaller ranges one after"
              + " another");
    }
  }

  private static ReadOptions options(KeyBounds range) {
    return ReadOptions.builder()
        .fillCache(false)
        .lowerBound(range.lower())
        .upperBound(range.upper())
        .build();
  }
}
