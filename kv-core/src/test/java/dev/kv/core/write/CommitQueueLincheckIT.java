package dev.kv.core.write;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Leadership as a lock around a counter: at most one thread leads, and no thread waits forever. */
@Tag("slow")
public class CommitQueueLincheckIT {
  private static final int SCALE = Boolean.getBoolean("kv.long") ? 20 : 1;

  private final CommitQueue queue = new CommitQueue();
  private int counter;

  @Operation
  public int increment() {
    PendingWrite turn = new PendingWrite.Turn().begin();
    WriteOutcome outcome = queue.leadOrEnqueue(turn) ? WriteOutcome.LEADS : turn.await();
    if (outcome != WriteOutcome.LEADS) {
      throw new IllegalStateException("woken with " + outcome);
    }
    return incrementAsLeader();
  }

  @Operation
  public int incrementUnlessLed() {
    return queue.tryLead() ? incrementAsLeader() : increment();
  }

  private int incrementAsLeader() {
    int next = counter + 1;
    counter = next;
    queue.handOver();
    return next;
  }

  @Test
  void leaders_underAModelChecker_leadOneByOne() {
    new ModelCheckingOptions()
        .iterations(4 * SCALE)
        .invocationsPerIteration(200 * SCALE)
        .threads(2)
        .actorsBefore(0)
        .actorsPerThread(2)
        .actorsAfter(0)
        .check(CommitQueueLincheckIT.class);
  }
}
