package dev.kv.jmh.task;

import dev.kv.jmh.run.BenchThread;
import dev.kv.jmh.run.Task;
import dev.kv.jmh.store.Reader;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.ShuffledNumbers;
import dev.kv.jmh.workload.Workload;

/**
 * Reads every key once, in the order in which {@link OneBatchTask} wrote them.
 *
 * @param workload the keys
 */
record ReadKeysTask(Workload workload) implements Task {

  @Override
  public void run(BenchThread thread) {
    ShuffledNumbers order = new ShuffledNumbers(Math.toIntExact(workload.keySpace()));
    DecimalKey key = workload.newKey();
    int found = 0;
    try (Reader reader = thread.store().reader()) {
      thread.restart();
      for (int i = 0; i < order.count(); i++) {
        int length = reader.get(key.set(order.at(i)));
        if (length != Reader.MISSING) {
          found++;
          thread.meter().addBytes(length + (long) key.length());
        }
        thread.meter().tick();
      }
    }
    thread.say("(" + found + " of " + order.count() + " found)");
  }
}
