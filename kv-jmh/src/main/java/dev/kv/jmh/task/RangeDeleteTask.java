package dev.kv.jmh.task;

import dev.kv.jmh.run.BenchThread;
import dev.kv.jmh.run.Task;
import dev.kv.jmh.store.Writer;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.Workload;

/**
 * Deletes the middle half of the keys: with one call, or with one call per key if the store has no
 * range delete. This is one operation.
 *
 * @param workload the keys
 */
record RangeDeleteTask(Workload workload) implements Task {

  @Override
  public void run(BenchThread thread) {
    long first = workload.keySpace() / 4;
    long end = first + workload.keySpace() / 2;
    DecimalKey key = workload.newKey();
    byte[] from = key.set(first).clone();
    byte[] to = key.set(end).clone();
    thread.restart();
    if (!thread.store().deleteRange(from, to)) {
      try (Writer writer = thread.store().writer(false)) {
        for (long i = first; i < end; i++) {
          writer.delete(key.set(i));
        }
      }
    }
    thread.meter().tick();
  }
}
