package dev.kv.jmh.run;

import dev.kv.jmh.meter.HeapMeter;
import dev.kv.jmh.store.OpMeter;
import dev.kv.jmh.store.Store;
import dev.kv.jmh.workload.LehmerRandom;

/** The state of one thread of a benchmark. Not thread-safe, except {@link #group()}. */
public final class BenchThread {
  /** The seed of the first thread in db_bench, which counts a thread before it makes its seed. */
  private static final int SEED = 1001;

  private final int index;
  private final Database database;
  private final ThreadGroupState group;
  private final OpMeter meter;
  private final LehmerRandom random;
  private String message = "";
  private long startNanos;
  private long endNanos;
  private long allocatedBytes;

  /** Creates the state; {@code serial} is unique in a sequence, and seeds the choice of keys. */
  BenchThread(int index, int serial, Database database, ThreadGroupState group, boolean timed) {
    this.index = index;
    this.database = database;
    this.group = group;
    meter = new OpMeter(timed);
    random = new LehmerRandom(SEED + serial);
  }

  /** Returns the number of the thread in its benchmark, from 0. */
  public int index() {
    return index;
  }

  /** Returns the database that all threads share. */
  public Database database() {
    return database;
  }

  /** Returns what the threads of the benchmark share. */
  public ThreadGroupState group() {
    return group;
  }

  /** Returns the meter, which a task calls for each operation. */
  public OpMeter meter() {
    return meter;
  }

  /** Returns the random numbers of this thread. */
  public LehmerRandom random() {
    return random;
  }

  /** Returns the open store. */
  public Store store() {
    return database.store();
  }

  /** Runs {@code task}, and measures its time and its allocations. */
  void run(Task task) {
    restart();
    task.run(this);
    allocatedBytes = HeapMeter.allocatedByThisThread() - allocatedBytes;
    endNanos = endNanos == 0 ? System.nanoTime() : endNanos;
  }

  /** Sets the end of the measured time; what came after it was waiting. */
  public void endAt(long nanos) {
    endNanos = nanos;
  }

  /** Resets all counts. */
  public void restart() {
    allocatedBytes = HeapMeter.allocatedByThisThread();
    meter.start();
    startNanos = System.nanoTime();
  }

  /** Sets the message of the result. */
  public void say(String text) {
    message = text;
  }

  String message() {
    return message;
  }

  long startNanos() {
    return startNanos;
  }

  long endNanos() {
    return endNanos;
  }

  long allocatedBytes() {
    return allocatedBytes;
  }
}
