package dev.kv.jmh.run;

import dev.kv.jmh.meter.ResidentMemory;
import dev.kv.jmh.result.Footprint;
import dev.kv.jmh.result.Latencies;
import dev.kv.jmh.result.Measurement;
import dev.kv.jmh.store.OpMeter;
import dev.kv.jmh.store.StoreStats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Runs one plan on its threads, and sums up their results as db_bench does. */
public final class BenchmarkRun {
  private final Plan plan;
  private final Database database;
  private final List<BenchThread> threads = new ArrayList<>();
  private boolean peakKnown;

  /** Creates a run; {@code serial} numbers the first thread, {@code timed} times each operation. */
  public BenchmarkRun(Plan plan, Database database, int threadCount, int serial, boolean timed) {
    this.plan = plan;
    this.database = database;
    int count = threadCount + plan.extraThreads();
    ThreadGroupState group = new ThreadGroupState(count);
    for (int i = 0; i < count; i++) {
      threads.add(new BenchThread(i, serial + i, database, group, timed));
    }
  }

  /** Runs the plan to its end, and rethrows what a thread throws. */
  public void run() {
    database.begin();
    peakKnown = ResidentMemory.resetPeak();
    List<FutureTask<Boolean>> running = new ArrayList<>();
    for (BenchThread thread : threads) {
      FutureTask<Boolean> task =
          new FutureTask<>(
              () -> {
                thread.group().awaitStart();
                try {
                  thread.run(plan.task());
                } finally {
                  thread.group().finish();
                }
              },
              true);
      running.add(task);
      new Thread(task, plan.name() + "-" + thread.index()).start();
    }
    awaitAll(running);
    database.addBytesPut(threads.stream().mapToLong(thread -> thread.meter().bytesPut()).sum());
  }

  /** Waits for all, since the store is closed after a failure; throws the first one. */
  private static void awaitAll(List<FutureTask<Boolean>> running) {
    Throwable failure = null;
    for (FutureTask<Boolean> task : running) {
      try {
        await(task);
      } catch (RuntimeException | Error e) {
        if (failure == null) {
          failure = e;
        } else if (failure != e) {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure != null) {
      throw (RuntimeException) failure;
    }
  }

  private static void await(FutureTask<Boolean> task) {
    try {
      task.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      if (e.getCause() instanceof Error cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Returns the time: per operation the sum over all threads, the throughput by the wall clock. */
  public Measurement.Timing timing() {
    long nanos = 0;
    long operations = 0;
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    int counted = 0;
    for (BenchThread thread : threads) {
      nanos += thread.endNanos() - thread.startNanos();
      operations += thread.meter().operations();
      counted++;
      if (thread.meter().operations() > 0) { // not a writer that ends after the readers
        first = Math.min(first, thread.startNanos());
        last = Math.max(last, thread.endNanos());
      }
    }
    long divisor = Math.max(1, operations);
    double seconds = last > first ? (last - first) / 1e9 : 1e-9;
    return new Measurement.Timing(
        counted, divisor, nanos / 1e3 / divisor, sumOfBytes() / seconds / (1 << 20));
  }

  private long sumOfBytes() {
    return threads.stream().mapToLong(thread -> thread.meter().bytes()).sum();
  }

  /** Returns the message of the first thread that has one. */
  public String message() {
    return threads.stream()
        .map(BenchThread::message)
        .filter(message -> !message.isEmpty())
        .findFirst()
        .orElse("");
  }

  /** Returns the times of single operations of all threads, or null if they were not measured. */
  public @Nullable Latencies latencies() {
    Histogram all = null;
    for (BenchThread thread : threads) {
      Histogram histogram = thread.meter().histogram();
      if (histogram != null && all == null) {
        all = histogram.copy();
      } else if (histogram != null && all != null) {
        all.add(histogram);
      }
    }
    return all == null || all.getTotalCount() == 0 ? null : Latencies.of(all);
  }

  /** Returns memory and disk use of this run alone, except the size of the database. */
  public Footprint footprint() {
    long allocated = threads.stream().mapToLong(BenchThread::allocatedBytes).sum();
    long slow = -1;
    for (BenchThread thread : threads) {
      OpMeter meter = thread.meter();
      if (meter.histogram() != null) {
        slow = Math.max(0, slow) + meter.stalledNanos() / 1000;
      }
    }
    StoreStats figures = database.figures();
    return new Footprint(
        allocated / (double) timing().operations(),
        database.store().diskBytes(),
        plan.writes() ? database.writeAmplification(figures) : -1,
        figures.stallMicros(),
        slow,
        peakKnown ? ResidentMemory.peakBytes() : -1);
  }
}
