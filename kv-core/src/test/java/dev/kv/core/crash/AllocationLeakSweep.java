package dev.kv.core.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.Options;
import dev.kv.core.crash.Allocations.Fault;
import dev.kv.core.db.LeakCheck;
import dev.kv.errors.DBException;
import dev.kv.table.TableWriter;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Lets each allocation of calls that write to no database fail, in one run each: what they have
 * taken is given back. Run by {@link AllocationFaultIT}, in a JVM with changed classes.
 */
@ExtendWith({LeakCheck.class, Quiet.class})
class AllocationLeakSweep {
  private static final String CALLER = "caller";

  @TempDir Path temp;

  @Test
  void tableWriter_withoutMemory_leavesNoFile() throws InterruptedException {
    Path file = temp.resolve("table");
    sweep(
        fault -> {
          runWith(
              fault,
              () -> {
                TableWriter writer = TableWriter.create(file, Options.DEFAULT);
                try {
                  writer.put(new byte[1], new byte[100]);
                } finally {
                  writer.close();
                }
              });
          assertThat(file).as("after %s", fault).doesNotExist();
        });
  }

  private interface Run {
    void with(Fault fault) throws InterruptedException;
  }

  private static void sweep(Run run) throws InterruptedException {
    // Without a fault first: a class that cannot be initialized stays unusable.
    run.with(new Fault(CALLER, Integer.MAX_VALUE, Integer.MAX_VALUE));
    Fault fault;
    int number = 0;
    do {
      number++;
      fault = new Fault(CALLER, number, number);
      run.with(fault);
    } while (fault.wasInjected());
    assertThat(number).as("allocations").isGreaterThan(10);
  }

  private static void runWith(Fault fault, Runnable call) throws InterruptedException {
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    Thread caller =
        new Thread(
            () -> {
              try {
                call.run();
              } catch (Throwable e) {
                thrown.set(e);
              }
            },
            CALLER);
    Allocations.begin(fault);
    try {
      caller.start();
      caller.join();
    } finally {
      Allocations.end();
    }
    Throwable failure = thrown.get();
    if (failure != null && !(failure instanceof OutOfMemoryError)) {
      assertThat(failure).as("with %s", fault).isInstanceOf(DBException.class);
    }
  }
}
