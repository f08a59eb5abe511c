package dev.kv.jmh.task;

import dev.kv.jmh.meter.HeapMeter;
import dev.kv.jmh.store.OpMeter;
import dev.kv.jmh.store.Store;
import dev.kv.jmh.workload.LehmerRandom;

/** The state of one thread of a benchmark. Not thread-safe, except {@link #group}. */
final class BenchThread {
  private static final int SEED = 1000;

  final int index;
  final Database database;
  final ThreadGroupState group;
  final OpMeter meter;
  final LehmerRandom random;
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

  Store store() {
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
  void endAt(long nanos) {
    endNanos = nanos;
  }

  /** Resets all counts. */
  void restart() {
    allocatedBytes = HeapMeter.allocatedByThisThread();
    meter.start();
    startNanos = System.nanoTime();
  }

  /** Sets the message of the result. */
  void say(String text) {
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
