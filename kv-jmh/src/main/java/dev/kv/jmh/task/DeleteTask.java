package dev.kv.jmh.task;

import dev.kv.jmh.run.BenchThread;
import dev.kv.jmh.run.Task;
import dev.kv.jmh.store.Writer;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.Workload;

/**
 * Deletes as many keys as there are entries, in order or at random.
 *
 * @param workload the keys
 * @param ordered true for the keys 0, 1, 2 and so on
 */
record DeleteTask(Workload workload, boolean ordered) implements Task {

  @Override
  public void run(BenchThread thread) {
    DecimalKey key = workload.newKey();
    long entries = workload.keySpace();
    try (Writer writer = thread.store().writer(false)) {
      thread.restart();
      for (long i = 0; i < entries; i++) {
        writer.delete(key.set(ordered ? i : thread.random().uniform(entries)));
        thread.meter().tick();
      }
    }
  }
}
