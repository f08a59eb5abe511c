package dev.kv.core.write;

import dev.kv.core.batch.EncodedBatch;

/**
 * The leadership of group commit, held by a thread for work of its own: no other thread writes, and
 * no number is given to a write, until {@link CommitPipeline#lead} returns. Used by that thread,
 * during that call.
 */
public final class Leadership {
  private final CommitPipeline commits;
  private long taken;
  private boolean published;

  Leadership(CommitPipeline commits) {
    this.commits = commits;
  }

  /**
   * Makes the memtable immutable, unless it is empty. This starts its flush but does not wait for
   * it. Waits as long as there are too many immutable memtables.
   */
  public void switchMemTable() {
    commits.switchMemTableAsLeader();
  }

  /**
   * Applies a batch, and syncs it. Waits for room as any write does.
   *
   * @throws dev.kv.DBException if the batch was not written, or if that is unknown, as its message
   *     says
   */
  public void write(EncodedBatch batch) {
    commits.writeAsLeader(batch);
  }

  /**
   * Takes the next sequence number, for content that does not pass the log. Can be called once.
   *
   * <p>The number is logged, and the log and all older live logs are synced, before this returns.
   * Two batches without operations log it: the first one has the number itself, and so follows the
   * last write, also at the beginning of a log; the second has the next number, which is the one
   * that the next write continues with, also in a later log. Without them, recovery would find that
   * a log begins after the end of the one before, and conclude that records are lost. C++ LevelDB
   * replays such batches as nothing.
   *
   * <p>Readers do not see the number before {@link #publish}. If the work ends without that, the
   * number remains unused.
   *
   * @return the number
   * @throws dev.kv.DBIOException if the log cannot be written
   */
  public long takeSequence() {
    if (taken != 0) {
      throw new AssertionError("a second number was asked for");
    }
    taken = commits.takeSequence();
    return taken;
  }

  /**
   * Makes the number that was taken the last one that readers see. Called when the content is
   * durable, immediately before the read state that contains it is published.
   */
  public void publish() {
    if (taken == 0 || published) {
      throw new AssertionError("there is no number to publish");
    }
    published = true;
    commits.publishTaken(taken);
  }

  /** Uses up a number that was not published. */
  void end() {
    if (taken != 0 && !published) {
      publish();
    }
  }
}
