package dev.kv.core.write;

import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.event.Events;
import dev.kv.errors.DBClosedException;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Group commit and its close: as if each write were done at one moment, and every one after the
 * close refused. Under stress alone: the model checker does not know views of buffers; {@link
 * CommitQueueLincheckIT} has the part without.
 */
@Tag("slow")
public class CommitLincheckIT {
  private static final int SCALE = Boolean.getBoolean("kv.long") ? 20 : 1;
  private static final byte[] KEY = {'k'};
  private static final int REFUSED = -1;

  private final FakeTarget target = new FakeTarget(4 << 10);
  private final ErrorHandler errors = new ErrorHandler(new Events("db", null));
  private final CommitPipeline pipeline = target.pipeline(errors, 0);

  @Operation
  public int put() {
    return write(() -> pipeline.put(KEY, KEY, false));
  }

  @Operation
  public int delete() {
    return write(() -> pipeline.delete(KEY, true));
  }

  @Operation
  public int batch() {
    EncodedBatch batch = new EncodedBatch();
    batch.put(KEY, KEY).delete(KEY);
    return write(() -> pipeline.write(batch, false));
  }

  private static int write(Runnable write) {
    try {
      write.run();
      return 0;
    } catch (DBClosedException e) {
      return REFUSED;
    }
  }

  @Operation
  public long lastSequence() {
    return pipeline.lastSequence();
  }

  @Operation(runOnce = true)
  public void close() {
    pipeline.close();
  }

  @Test
  void writes_underStress_areDoneOneByOne() {
    new StressOptions()
        .iterations(3 * SCALE)
        .invocationsPerIteration(800 * SCALE)
        .threads(3)
        .actorsBefore(0)
        .actorsPerThread(3)
        .actorsAfter(1)
        .check(CommitLincheckIT.class);
  }
}
