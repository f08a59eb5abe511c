package dev.kv.jmh.task;

import dev.kv.jmh.store.Writer;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.ValueGenerator;
import dev.kv.jmh.workload.Workload;

/**
 * Reads random keys in all threads except the first, which writes until the others are done and
 * does not count.
 */
record ReadWhileWritingTask(Workload workload, PointReadTask reading) implements Task {

  @Override
  public void run(BenchThread thread) {
    if (thread.index > 0) {
      reading.run(thread);
      return;
    }
    ValueGenerator values = new ValueGenerator(workload.compressionRatio());
    DecimalKey key = workload.newKey();
    byte[] value = new byte[workload.valueSize()];
    try (Writer writer = thread.store().writer(false)) {
      while (!thread.group.othersFinished()) {
        values.next(value);
        writer.put(key.set(thread.random.uniform(workload.keySpace())), value);
      }
    }
    thread.restart();
  }
}
