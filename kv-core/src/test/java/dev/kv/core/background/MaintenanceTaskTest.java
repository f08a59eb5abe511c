package dev.kv.core.background;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.db.DbTestBase;
import dev.kv.core.env.FileName;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.state.MemTables;
import dev.kv.core.write.CommitPipeline;
import dev.kv.core.write.CommitTarget;
import dev.kv.core.write.ErrorHandler;
import dev.kv.core.write.ExclusiveWriter;
import dev.kv.env.Env;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.FaultEnv.Fault;
import dev.kv.testing.FaultEnv.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class MaintenanceTaskTest extends DbTestBase {
  private final FaultEnv env = new FaultEnv(Env.inMemory());

  /** Asks for the memory of the memtable, as another database does. */
  private void wantSwitch() {
    parts().memTables().stallInputs().wantSwitch(true);
    parts().wakeups().maintenanceWanted();
  }

  @Test
  void memtable_whoseMemoryIsWanted_isFlushedWithoutAWrite() {
    open(defaults().toBuilder().env(env).build());
    put("a", "1");
    wantSwitch();
    await("the flush", () -> files(FileName.Kind.TABLE).size() == 1);
    assertThat(get("a")).isEqualTo("1");
  }

  @Test
  void memtable_whoseMemoryIsWantedAndThatIsEmpty_isKept() {
    open(defaults().toBuilder().env(env).build());
    wantSwitch();
    await("the look", () -> !parts().memTables().stallInputs().isSwitchWanted());
    assertThat(files(FileName.Kind.TABLE)).isEmpty();
  }

  /** The flush is only early: nobody is refused anything for it. */
  @Test
  void memtable_whoseNextLogCannotBeCreated_isFlushedLater() {
    open(defaults().toBuilder().env(env).build());
    put("a", "1");
    env.fail(
        Fault.NO_SPACE,
        Long.MAX_VALUE,
        operation -> operation.kind() == Kind.CREATE && operation.isOn(".log"));
    wantSwitch();
    await("the failure", () -> env.injected() > 0);
    assertThat(files(FileName.Kind.TABLE)).isEmpty();
    env.heal();
    put("b", "2");
    wantSwitch();
    await("the flush", () -> !files(FileName.Kind.TABLE).isEmpty());
    assertThat(contents()).isEqualTo("(a->1)(b->2)");
  }

  /** An exception would be a permanent failure. */
  @Test
  void memtable_whoseMemoryIsWantedWhenAJobFails_isKept() {
    open(defaults().toBuilder().env(env).build());
    put("a", "1");
    parts().memTables().stallInputs().wantSwitch(true);
    ErrorHandler errors = parts().jobs().errors();
    BackgroundWorker.Job job =
        task(() -> errors.failResumably("a flush", new IOException("simulated"), 0)).next();
    assertThat(requireNonNull(job).run()).isEqualTo(JobOutcome.Ended.NOTHING_TO_DO);
    assertThat(errors.failure()).isNotNull();
    assertThat(parts().memTables().memtable().isEmpty()).isFalse();
    errors.succeed("a flush");
    put("b", "2");
    assertThat(contents()).isEqualTo("(a->1)(b->2)");
  }

  /** An exception would be a permanent failure. */
  @Test
  void run_withoutMemoryForItsOutcome_isTriedAgain() {
    open(defaults().toBuilder().env(env).build());
    put("a", "1");
    Thread runner = Thread.currentThread();
    AtomicInteger shortages = new AtomicInteger(2);
    Runnable allocation =
        () -> {
          if (Thread.currentThread() == runner && shortages.getAndDecrement() > 0) {
            throw new OutOfMemoryError("simulated");
          }
        };
    parts().wakeups().onMaintenance(allocation);
    BackgroundWorker.Job job = requireNonNull(task(allocation).next());
    try (ExclusiveWriter other = parts().commits().exclusive()) { // no other thread switches
      parts().memTables().stallInputs().wantSwitch(true);
      assertThat(job.run()).isInstanceOf(JobOutcome.NothingLogged.class);
    }
    assertThat(shortages.get()).isNotPositive();
    assertThat(contents()).isEqualTo("(a->1)");
  }

  /** Returns work that calls {@code whenExclusive} after it got the exclusive access. */
  private MaintenanceTask task(Runnable whenExclusive) {
    JobContext jobs = parts().jobs();
    MemTables memTables = jobs.memTables();
    CommitTarget target =
        new CommitTarget() {
          @Override
          public MemTable memtable() {
            whenExclusive.run();
            return memTables.memtable();
          }

          @Override
          public void makeRoom(long bytes, int count, boolean fresh) throws IOException {
            memTables.makeRoom(bytes, count, fresh);
          }

          @Override
          public void awaitMemory(long bytes, Runnable allocation) {
            throw new AssertionError("nothing is written");
          }

          @Override
          public void append(ByteBuffer record, int length, boolean sync) {
            throw new AssertionError("nothing is written");
          }

          @Override
          public void flushEarly() {
            throw new AssertionError("nothing is written");
          }

          @Override
          public void wakeWork() {
            throw new AssertionError("nothing is waited for");
          }
        };
    CommitPipeline commits =
        new CommitPipeline(
            target,
            memTables.stallInputs(),
            jobs.errors(),
            jobs.commits().lastSequence(),
            jobs.context().comparator().userComparator(),
            jobs.context().budget(),
            jobs.events());
    return new MaintenanceTask(
        new JobContext(
            jobs.files(), memTables, jobs.snapshots(), commits, jobs.running(), jobs.stats()),
        parts().reader(),
        parts().transactions());
  }
}
