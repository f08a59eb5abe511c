package dev.kv.jmh.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.jmh.run.BenchmarkRun;
import dev.kv.jmh.run.DatabaseTestBase;
import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.store.OpMeter;
import dev.kv.jmh.workload.Workload;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class QueueTaskTest extends DatabaseTestBase {
  private static final int STEPS = 50;
  private static final long CLOSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** A cursor whose close takes its time. */
  private static final class SlowToClose implements Cursor {

    @Override
    public void scanForward(long limit, OpMeter meter) {
      meter.addBytes(7);
      meter.tick();
    }

    @Override
    public void scanBackward(long limit, OpMeter meter) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean seek(byte[] key) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
      long end = System.nanoTime() + CLOSE_NANOS;
      while (System.nanoTime() < end) {
        LockSupport.parkNanos(CLOSE_NANOS);
      }
    }
  }

  @Test
  void findFirst_time_includesTheClose() {
    OpMeter found = new OpMeter(false);
    OpMeter meter = new OpMeter(true);
    meter.start();
    QueueTask.findFirst(SlowToClose::new, found, meter);
    assertThat(found.operations()).isOne();
    assertThat(found.bytes()).isEqualTo(7);
    assertThat(meter.operations()).isOne();
    assertThat(Objects.requireNonNull(meter.histogram()).getMaxValue())
        .isGreaterThanOrEqualTo(CLOSE_NANOS);
  }

  @Test
  void run_eachStep_isAnOperationWithTheBytesOfAnEntry() {
    Catalogue catalogue = new Catalogue(new Workload(STEPS, STEPS, 100, 0.5, 0), -1, 0);
    BenchmarkRun run = run(catalogue, "queue");
    assertThat(run.timing().operations()).isEqualTo(STEPS);
    assertThat(run.timing().megabytesPerSecond()).isPositive();
  }
}
