package dev.kv.jmh.task;

import dev.kv.jmh.run.BenchThread;
import dev.kv.jmh.run.Task;
import dev.kv.jmh.store.Writer;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.ShuffledNumbers;
import dev.kv.jmh.workload.ValueGenerator;
import dev.kv.jmh.workload.Workload;

/**
 * Puts every key once, in random order, all in one batch or transaction, as the benchmark of
 * lmdbjava does. The time of a single operation, for a histogram, is that of its put into the
 * batch. The mean includes the commit.
 *
 * @param workload keys and values
 */
record OneBatchTask(Workload workload) implements Task {

  @Override
  public void run(BenchThread thread) {
    ShuffledNumbers order = new ShuffledNumbers(Math.toIntExact(workload.keySpace()));
    ValueGenerator values = new ValueGenerator(workload.compressionRatio());
    DecimalKey key = workload.newKey();
    byte[] value = new byte[workload.valueSize()];
    try (Writer writer = thread.store().batchWriter(false)) {
      thread.restart();
      for (int i = 0; i < order.count(); i++) {
        values.next(value);
        writer.put(key.set(order.at(i)), value);
        thread.meter().tick();
      }
      writer.commit();
      thread.meter().addBytesWritten((long) order.count() * (key.length() + value.length));
    }
  }
}
