package example;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kv.change.ChangeGroup;
import dev.kv.change.ChangePosition;
import dev.kv.change.Changes;
import dev.kv.errors.ChangesLostException;
import dev.kv.DB;
import dev.kv.options.LogRetention;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.WriteBatch;
import java.time.Duration;

/**
 * Keeps a copy of a database in step with it, by its change feed. It may be killed at any moment,
 * with the source or without it: the next follower of the same copy goes on where this one was.
 */
final class Follower {
  /** Options for the source: its logs are kept for a week, but at most 1 GiB of them. */
  static final Options KEEPS_LOGS =
      Options.builder()
          .createIfMissing(true)
          .logRetention(LogRetention.builder().bytes(1L << 30).age(Duration.ofDays(7)).build())
          .build();

  /** The key of the copy with the position. The source must not have this key. */
  private static final byte[] POSITION = "\0position".getBytes(US_ASCII);

  private static final long BATCH_BYTES = 1 << 20;

  private final DB source;
  private final DB copy;
  private int newCopies;

  /** Creates a follower. The caller closes the databases after it. */
  Follower(DB source, DB copy) {
    this.source = source;
    this.copy = copy;
  }

  /** Applies every change, and waits for new ones, until the thread is interrupted. */
  void run() throws InterruptedException {
    while (true) {
      try (Changes changes = source.changes().open(position())) {
        while (true) {
          apply(changes.take());
        }
      } catch (ChangesLostException e) {
        copyAnew();
      }
    }
  }

  /** Applies the changes that are durable now. */
  void catchUp() {
    while (true) {
      try (Changes changes = source.changes().open(position())) {
        for (ChangeGroup group = changes.poll(); group != null; group = changes.poll()) {
          apply(group);
        }
        return;
      } catch (ChangesLostException e) {
        copyAnew();
      }
    }
  }

  /** Returns how often this follower had to copy the whole source. */
  int newCopies() {
    return newCopies;
  }

  /** A group and the position after it are one batch: the copy has both or neither. */
  private void apply(ChangeGroup group) {
    WriteBatch batch = WriteBatch.create();
    batch.append(group);
    copy.write(batch.put(POSITION, group.position().toByteArray()));
  }

  private ChangePosition position() {
    byte[] stored = copy.get(POSITION);
    return stored == null ? copyAnew() : ChangePosition.ofBytes(stored);
  }

  /**
   * Replaces the copy by the entries of a snapshot. The position is written last: if this is
   * interrupted, the copy has none, and the next follower copies again.
   *
   * <p>The position is read before the snapshot, so changes between the two are applied again,
   * which changes nothing in the end. The retention must keep the logs for longer than this takes.
   */
  private ChangePosition copyAnew() {
    newCopies++;
    copy.delete(POSITION); // first: the entries after it may be deleted in several writes
    copy.deleteRange(null, null);
    ChangePosition position = source.changes().position();
    WriteBatch batch = WriteBatch.create();
    try (Snapshot snapshot = source.snapshot()) {
      // A loss of power must not take from the source what the snapshot shows
      source.admin().flush();
      source.forEach(
          ReadOptions.builder().snapshot(snapshot).fillCache(false).build(),
          (key, value) -> {
            batch.put(key.toByteArray(), value.toByteArray());
            if (batch.approximateSize() >= BATCH_BYTES) {
              copy.write(batch);
              batch.clear();
            }
          });
    }
    copy.write(batch.put(POSITION, position.toByteArray()));
    return position;
  }
}
