package dev.kv.core.state;

import dev.kv.core.batch.BatchCursor;
import dev.kv.core.iterator.TombstoneSkipIndex;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.write.CommitObserver;
import dev.kv.core.write.CommitPipeline;
import dev.kv.core.write.ExclusiveWriter;

/** Keeps a {@link TombstoneSkipIndex} correct: reports to it what group commit makes visible. */
public final class TombstoneObserver implements CommitObserver {
  private final TombstoneSkipIndex index;

  private TombstoneObserver(TombstoneSkipIndex index) {
    this.index = index;
  }

  /** Returns the index of a database that is being opened. Called before the first write. */
  public static TombstoneSkipIndex indexOf(CommitPipeline commits, UserKeyComparator order) {
    TombstoneSkipIndex index =
        new TombstoneSkipIndex(order, offered -> beginWatches(offered, commits));
    commits.observe(new TombstoneObserver(index));
    return index;
  }

  /** Begins the watches between two groups, unless a thread writes: then its group begins them. */
  private static void beginWatches(TombstoneSkipIndex index, CommitPipeline commits) {
    try (ExclusiveWriter writer = commits.tryExclusive()) {
      if (writer != null) {
        index.beginWatches(writer.lastSequence() + 1);
      }
    }
  }

  @Override
  public boolean isInterested() {
    return !index.isEmpty();
  }

  @Override
  public void beforeVisible(BatchCursor operations, long firstSequence) {
    index.beginWatches(firstSequence);
    while (operations.next()) {
      if (operations.kind() == ValueKind.VALUE) {
        index.reportPut(operations.buffer(), operations.keyOffset(), operations.keyLength());
      }
    }
  }

  @Override
  public void beforeVisibleOutsideLog() {
    index.clear();
  }
}
