package dev.kv.core.write;

import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.log.NoRoomInLogException;
import dev.kv.errors.DBIOException;

/**
 * Exclusive access to the head of the commit queue, held by one thread: until it is closed, no
 * other thread writes, no sequence number is given to a write, and no memtable is switched by
 * another thread. Used by the thread that has asked for it, which must not write to the database
 * otherwise, because it would wait for itself.
 */
public final class ExclusiveWriter implements AutoCloseable {
  private final CommitPipeline commits;
  private final CommitTarget target;
  private final ErrorHandler errors;
  private final WriteController controller;
  private final WriteGroup group;
  private long taken;
  private boolean published;
  private boolean confirmed;
  private boolean flushEarly;
  private boolean closed;

  ExclusiveWriter(
      CommitPipeline commits,
      CommitTarget target,
      ErrorHandler errors,
      WriteController controller,
      WriteGroup group) {
    this.commits = commits;
    this.target = target;
    this.errors = errors;
    this.controller = controller;
    this.group = group;
  }

  /** Returns the sequence number of the last write that readers see. */
  public long lastSequence() {
    return commits.lastSequence();
  }

  /** Creates the log if there is none, which makes the recovered state durable. */
  public void requireLog() {
    controller.requireLog();
  }

  /**
   * Makes the memtable immutable, unless it is empty. This starts its flush but does not wait for
   * it. Waits as long as there are too many immutable memtables.
   */
  public void switchMemTable() {
    errors.checkWrite();
    controller.forceSwitch();
  }

  /**
   * Makes the memtable immutable if it has entries and no other one waits for its flush, and
   * releases the memory of large groups. Waits for nothing.
   *
   * @throws DBIOException if no log can be created; nothing has changed
   */
  public void switchMemTableIfPossible() {
    controller.switchIfPossible();
    group.trim();
  }

  /**
   * Applies a batch, and syncs it. Waits for room as any write does.
   *
   * @throws dev.kv.errors.DBException if the batch was not written, or if that is unknown, as its
   *     message says
   */
  public void write(EncodedBatch batch) {
    commits.prepare(batch.length(), batch.count());
    group.batch(batch, batch.length(), batch.count());
    try {
      commits.logAndApply(target.memtable(), true);
      flushEarly |= commits.wantsFlush(target.memtable());
    } catch (NoRoomInLogException e) {
      throw CommitPipeline.notLogged(e);
    } catch (Throwable e) {
      commits.failed(e);
      throw CommitPipeline.failureOf(e);
    }
  }

  /**
   * Takes the next sequence number, for content that does not pass the log. Waits for memory as any
   * write does. Can be called once.
   *
   * <p>The sequence number is logged, and the log and all older live logs are synced, before this
   * returns. Two batches without operations log it: the first one has the number itself, and so
   * follows the last write, also at the beginning of a log; the second has the next number, which
   * is the one that the next write continues with, also in a later log. Without them, recovery
   * would find that a log begins after the end of the one before, and conclude that records are
   * lost. C++ LevelDB replays such batches as nothing.
   *
   * <p>Readers do not see the sequence number before {@link #publish}. If the access ends without
   * that, the number remains unused.
   *
   * @return the sequence number
   * @throws DBIOException if the log cannot be written
   */
  public long takeSequence() {
    if (taken != 0) {
      throw new AssertionError("a second sequence number was asked for");
    }
    commits.requireSequences(2);
    commits.prepare(0, 0);
    long next = commits.lastSequence() + 1;
    try {
      target.append(group.marker(next), WriteGroup.MARKER_LENGTH, false);
      target.append(group.marker(next + 1), WriteGroup.MARKER_LENGTH, true);
    } catch (NoRoomInLogException e) {
      throw CommitPipeline.notLogged(e);
    } catch (Throwable e) {
      commits.failed(e);
      throw new DBIOException(
          "the log could not be written: nothing was changed, and the database is read-only until"
              + " it is opened again",
          e);
    }
    taken = next;
    target.taken(next);
    return next;
  }

  /**
   * Logs that the edit with the sequence number that was taken is durable, and syncs the log.
   * Called after the edit was synced, and before {@link #publish}.
   *
   * <p>A batch without operations logs it, as {@link #takeSequence} does; this one repeats the
   * number. It is the only record of a log whose number was there before. A recovery that finds it
   * knows that a MANIFEST without that edit has lost its end. Nothing else tells, because a
   * MANIFEST whose last edit is cut off looks like one whose last edit was never synced.
   *
   * @throws DBIOException if the log cannot be written; the database is read-only then
   */
  public void confirm() {
    if (taken == 0 || published || confirmed) {
      throw new AssertionError("there is no sequence number to confirm");
    }
    confirmed = true;
    group.begin(0);
    try {
      target.append(group.marker(taken), WriteGroup.MARKER_LENGTH, true);
    } catch (Throwable e) {
      commits.failed(e);
      throw new DBIOException("the change is in the MANIFEST, and could not be logged: " + e, e);
    }
  }

  /**
   * Makes the sequence number that was taken the last one that readers see. Called when the content
   * is durable, immediately before the read state that contains it is published.
   */
  public void publish() {
    if (taken == 0 || published) {
      throw new AssertionError("there is no sequence number to publish");
    }
    published = true;
    commits.publish(taken);
  }

  /** Ends the exclusive access. A sequence number that was taken and not published is used up. */
  @Override
  public void close() {
    if (closed) {
      return; // another thread may lead now
    }
    closed = true;
    if (taken != 0 && !published) {
      publish();
    }
    commits.endExclusive();
    if (flushEarly) {
      target.flushEarly();
    }
  }
}
