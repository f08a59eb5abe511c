package dev.kv.core.transaction;

import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.read.DatabaseReader;
import dev.kv.core.read.ValidationView;
import dev.kv.core.write.CommitPipeline;
import dev.kv.core.write.WriteOutcome;
import org.jspecify.annotations.Nullable;

/** Applies batches that have expectations. Thread-safe. */
public final class ConditionalWrites {
  private final DatabaseReader reader;
  private final CommitPipeline commits;
  private final UserKeyComparator order;

  /** Creates the object; the caller keeps the ownership of all arguments. */
  public ConditionalWrites(DatabaseReader reader, CommitPipeline commits, UserKeyComparator order) {
    this.reader = reader;
    this.commits = commits;
    this.order = order;
  }

  /**
   * Applies {@code batch} atomically if all its expectations hold.
   *
   * @return null if the batch was applied, else a key whose expectation does not hold; not a copy
   */
  public byte @Nullable [] write(EncodedBatch batch, boolean sync) {
    commits.checkWrites();
    while (true) {
      try (ValidationView view = reader.validationView()) {
        ExpectationCheck check = new ExpectationCheck(batch.expectations(), view, order);
        if (!FailedCheck.run(check::holdsInBase)) {
          return check.failedKey();
        }
        WriteOutcome outcome = commits.write(batch, sync, check);
        if (outcome != WriteOutcome.STALE) {
          return outcome == WriteOutcome.DONE ? null : check.failedKey();
        }
      }
    }
  }
}
